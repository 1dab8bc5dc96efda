// Finds the point nearest to a position without checking all points: points are in the cells of a
// grid, and cells are searched outwards from the position.

export interface PointGrid {
  /** The index of the nearest point within the distance; null if there is none. */
  nearest(x: number, y: number, within: number): number | null
}

const pointsPerCell = 2

export function createPointGrid(x: Float32Array, y: Float32Array): PointGrid {
  const count = x.length
  const bounds = boundsOf(x, y)
  const side = Math.max(1, Math.ceil(Math.sqrt(count / pointsPerCell)))
  const cell = Math.max(bounds.width, bounds.height) / side || 1
  const place = (value: number, low: number): number =>
    Math.min(side - 1, Math.max(0, Math.floor((value - low) / cell)))
  const cellOf = (i: number): number =>
    place(y[i]!, bounds.bottom) * side + place(x[i]!, bounds.left)
  const { starts, members } = gather(count, side * side, cellOf)

  return {
    nearest(atX, atY, within) {
      let [best, bestSquare] = [-1, within * within]
      const look = (column: number, row: number): void => {
        if (column < 0 || row < 0 || column >= side || row >= side) return
        const at = row * side + column
        for (let m = starts[at]!; m < starts[at + 1]!; m++) {
          const i = members[m]!
          const square = (x[i]! - atX) ** 2 + (y[i]! - atY) ** 2
          if (square <= bestSquare) [best, bestSquare] = [i, square]
        }
      }
      const [column, row] = [place(atX, bounds.left), place(atY, bounds.bottom)]
      // Points in ring r are at least (r − 1) cells away, also from a position outside the grid.
      for (let ring = 0; ring <= side; ring++) {
        if (ring > 0 && ((ring - 1) * cell) ** 2 > bestSquare) break
        lookAround(column, row, ring, look)
      }
      return best < 0 ? null : best
    },
  }
}

/** The cells at a distance of `ring` steps. */
function lookAround(
  column: number,
  row: number,
  ring: number,
  look: (column: number, row: number) => void,
): void {
  for (let step = -ring; step <= ring; step++) {
    look(column + step, row - ring)
    if (ring > 0) look(column + step, row + ring)
    if (Math.abs(step) === ring) continue
    look(column - ring, row + step)
    look(column + ring, row + step)
  }
}

function boundsOf(x: Float32Array, y: Float32Array) {
  const [left, bottom] = [least(x, 1), least(y, 1)]
  return { left, bottom, width: -least(x, -1) - left, height: -least(y, -1) - bottom }
}

/** The minimum of the values times the sign; 0 if there are none. */
const least = (values: Float32Array, sign: number): number =>
  values.length === 0 ? 0 : values.reduce((low, value) => Math.min(low, sign * value), Infinity)

/** The indices of each class one after the other, and where each class starts. */
export function gather(count: number, classes: number, classOf: (index: number) => number) {
  const starts = new Uint32Array(classes + 1)
  for (let i = 0; i < count; i++) starts[classOf(i) + 1]!++
  for (let c = 0; c < classes; c++) starts[c + 1]! += starts[c]!
  const next = starts.slice(0, classes)
  const members = new Uint32Array(count)
  for (let i = 0; i < count; i++) members[next[classOf(i)]!++] = i
  return { starts, members }
}
