// The slate, naively: every item is scored exactly before every pick.

import { NEVER, packedSize } from '../contract/slate.ts'
import { tieHash } from '../tie-hash.ts'
import { bonus, growWhitening, whiteningOf } from '../whitening.ts'
import type { KernelTheme } from './views.ts'

const smallest = 2 ** -149 // of float32: what a weight may lose by rounding

export const slate: KernelTheme<'packRows' | 'packedBounds' | 'scoreBounds' | 'pickSlate'> = ({
  f32,
  f64,
  i8,
  i32,
}) => ({
  packRows(rows, columns, itemsAddress, packedAddress, scalesAddress, errorsAddress) {
    const packed = i8(packedAddress, 4 * packedSize(rows, columns)).fill(0)
    const [scales, errors] = [f32(scalesAddress, rows), f32(errorsAddress, rows)]
    const root = Math.sqrt(columns)
    for (let k = 0; k < rows; k++) {
      const item = f32(itemsAddress + 4 * k * columns, columns)
      const largest = largestOf(item)
      const scale = Math.fround(largest / 127)
      const steps = stepsTo(127, largest)
      let [squares, sum] = [0, 0]
      for (const [j, value] of item.entries()) {
        const whole = nearest(value * steps)
        sum += whole
        packed[packedPlace(columns, k, j)] = whole
        squares += Math.fround(value - Math.fround(scale * whole)) ** 2
      }
      i32(packedAddress + packedGroup(columns, k), 4)[k % 4] = -middle * sum
      scales[k] = scale
      errors[k] = Math.sqrt(squares) * (1 + long(columns)) + root * (largest * 2 ** -21 + 5.3e-23)
    }
  },

  packedBounds(
    rows,
    columns,
    diversityWeight,
    uncertaintyWeight,
    packedAddress,
    scalesAddress,
    errorsAddress,
    userAddress,
    normsAddress,
    uncertaintyAddress,
    boundsAddress,
  ) {
    const packed = i8(packedAddress, 4 * packedSize(rows, columns))
    const [scales, errors] = [f32(scalesAddress, rows), f32(errorsAddress, rows)]
    const [norms, uncertainty] = [f32(normsAddress, rows), f32(uncertaintyAddress, rows)]
    const [user, bounds] = [f32(userAddress, columns), f32(boundsAddress, rows)]
    const width = lengthOf(user)
    const { whole, step } = narrow(user)
    const narrowing = lengthOf(user.map((value, j) => value - step * (whole[j]! - middle)))
    const perNorm = diversityWeight + long(columns) * (diversityWeight + width) + narrowing
    const lost = (perNorm + width) * Math.sqrt(columns) * 5.3e-23 + 8192 * columns * smallest
    for (let k = 0; k < rows; k++) {
      const at = (j: number) => packed[packedPlace(columns, k, j)]!
      const start = i32(packedAddress + packedGroup(columns, k), 4)[k % 4]!
      const dot = whole.reduce((sum, value, j) => sum + value * at(j), start) | 0
      const relevance = scales[k]! * step * dot
      const more = perNorm * norms[k]! + (width + narrowing) * errors[k]!
      const unknown = uncertaintyWeight * uncertainty[k]!
      const sizes = Math.abs(relevance) + more + Math.abs(unknown)
      bounds[k] = relevance + more + unknown + 2 ** -21 * sizes + lost
    }
  },

  scoreBounds(
    rows,
    columns,
    diversityWeight,
    uncertaintyWeight,
    itemsAddress,
    userAddress,
    normsAddress,
    uncertaintyAddress,
    boundsAddress,
  ) {
    const user = f32(userAddress, columns)
    const norms = f32(normsAddress, rows)
    const uncertainty = f32(uncertaintyAddress, rows)
    const bounds = f32(boundsAddress, rows)
    const width = lengthOf(user)
    const perNorm = diversityWeight + long(columns) * (diversityWeight + width) + smallest
    // What underflow can take: squares below 2⁻¹⁵⁰ from a norm, products from a dot product.
    const lost = (perNorm + width) * Math.sqrt(columns) * 5.3e-23 + columns * smallest
    for (let k = 0; k < rows; k++) {
      const item = f32(itemsAddress + 4 * k * columns, columns)
      const relevance = item.reduce((sum, value, j) => sum + value * user[j]!, 0)
      const norm = perNorm * norms[k]!
      const unknown = uncertaintyWeight * uncertainty[k]!
      const sizes = Math.abs(relevance) + norm + Math.abs(unknown)
      bounds[k] = relevance + norm + unknown + 2 ** -22 * sizes + lost
    }
  },

  pickSlate(
    sequential,
    onward,
    rows,
    columns,
    visits,
    count,
    diversityWeight,
    uncertaintyWeight,
    _slack,
    tieSeed,
    itemsAddress,
    userAddress,
    historyAddress,
    uncertaintyAddress,
    boundsAddress,
    labelsAddress,
    whiteningAddress,
    _scratchAddress,
    picksAddress,
    termsAddress,
  ) {
    const item = (k: number) => f32(itemsAddress + 4 * k * columns, columns)
    const w = f64(whiteningAddress, columns * columns)
    if (!onward) w.set(whiteningOf(columns, []))
    for (let v = 0; v < visits; v++) {
      growWhitening(columns, w, f32(historyAddress + 4 * v * columns, columns))
    }
    const [user, uncertainty] = [f32(userAddress, columns), f32(uncertaintyAddress, rows)]
    const [bounds, labels] = [f32(boundsAddress, rows), i32(labelsAddress, rows)]
    const [picks, terms] = [i32(picksAddress, count), f32(termsAddress, 3 * count)]
    const relevance = Float64Array.from({ length: rows }, (_, k) => wideDot(item(k), user))
    const left = new Set([...bounds.keys()].filter((k) => bounds[k]! > NEVER))
    let picked = 0
    for (; picked < count && left.size > 0; picked++) {
      let best = { k: -1, score: 0, diversity: 0, tie: 0 }
      for (const k of left) {
        const diversity = bonus(columns, w, item(k))
        const score =
          relevance[k]! + diversityWeight * diversity + uncertaintyWeight * uncertainty[k]!
        const tie = tieHash(tieSeed, labels[k]!)
        const isBetter = score > best.score || (score === best.score && tie < best.tie)
        if (best.k < 0 || isBetter) best = { k, score, diversity, tie }
      }
      left.delete(best.k)
      picks[picked] = best.k
      terms.set([relevance[best.k]!, best.diversity, uncertainty[best.k]!], 3 * picked)
      if (sequential) growWhitening(columns, w, item(best.k))
    }
    return picked
  },
})

const lengthOf = (x: Float32Array): number =>
  Math.sqrt(x.reduce((sum, value) => sum + value * value, 0))

/** What float32 can lose in a dot product or a norm of this many terms. */
const long = (columns: number): number => (columns + 16) * 2 ** -23

/** What stands for 0 where numbers may not be negative. */
const middle = 64

/** Whole numbers of 7 bits, each too large by `middle`. */
function narrow(user: Float32Array) {
  const largest = largestOf(user)
  const steps = stepsTo(63, largest)
  return { whole: Array.from(user, (value) => nearest(value * steps) + middle), step: largest / 63 }
}

/** The nearest whole number to a float32 of less than 2²²; a half goes to the even one. */
const nearest = (x: number): number => Math.fround(Math.fround(x) + 1.5 * 2 ** 23) - 1.5 * 2 ** 23

const largestOf = (x: Float32Array): number =>
  x.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)

const stepsTo = (most: number, largest: number): number =>
  Math.fround(most / largest) < Infinity ? Math.fround(most / largest) : 0

/** Where the four rows begin that a row is one of: with what their dot products start with. */
const packedGroup = (columns: number, row: number): number =>
  Math.floor(row / 4) * (16 + 32 * Math.ceil(columns / 8))

/** Where a value stands among the bytes: four rows together, four columns of each at a time. */
const packedPlace = (columns: number, row: number, column: number): number =>
  packedGroup(columns, row) + 16 + Math.floor(column / 4) * 16 + (row % 4) * 4 + (column % 4)

/** x·y in float64, even and odd terms apart, as the fast kernel does it. */
function wideDot(x: Float32Array, y: Float32Array): number {
  let [even, odd] = [0, 0]
  for (let j = 0; j < x.length; j += 2) even += x[j]! * y[j]!
  for (let j = 1; j < x.length; j += 2) odd += x[j]! * y[j]!
  return even + odd
}
