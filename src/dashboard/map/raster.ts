// Paints points into pixels, each as a small soft disc over existing pixels. A canvas takes many
// times as long for as many circles.

/** Pixels and colors are as canvases have them in memory: alpha, blue, green, red from the top. */
export interface Raster {
  readonly pixels: Uint32Array
  readonly width: number
  readonly height: number
}

export interface PointColors {
  /** The color index of each point. */
  readonly classes: Uint8Array
  /** Opaque colors. */
  readonly colors: Uint32Array
  readonly background: number
  /** The points in the order they are painted. */
  readonly order: Uint32Array
}

/** The transform of a point to its pixel: across·x + left, down·y + top. */
interface Mapping {
  readonly across: number
  readonly left: number
  readonly down: number
  readonly top: number
  /** Radius of the discs, in pixels. */
  readonly radius: number
}

const opacity = 0.82

export function paintPoints(
  { pixels, width, height }: Raster,
  x: Float32Array,
  y: Float32Array,
  { classes, colors, background, order }: PointColors,
  { across, left, down, top, radius }: Mapping,
): void {
  pixels.fill(background)
  const { reach, offsets, alphas } = stampOf(radius, width)
  const [lastColumn, lastRow] = [width - 1 - reach, height - 1 - reach]
  for (const i of order) {
    const column = Math.round(across * x[i]! + left)
    const row = Math.round(down * y[i]! + top)
    // Discs cut by the edge are left out: the edge is not visible.
    if (column < reach || row < reach || column > lastColumn || row > lastRow) continue
    blend(pixels, row * width + column, offsets, alphas, colors[classes[i]!]!)
  }
}

function blend(
  pixels: Uint32Array,
  centre: number,
  offsets: Int32Array,
  alphas: Int32Array,
  color: number,
): void {
  const [odd, green] = [color & 0xff00ff, color & 0x00ff00]
  for (let s = 0; s < offsets.length; s++) {
    const at = centre + offsets[s]!
    const [alpha, below] = [alphas[s]!, pixels[at]!]
    const rest = 256 - alpha
    // Two channels in one product: they cannot overflow into each other.
    const mixedOdd = (Math.imul(odd, alpha) + Math.imul(below & 0xff00ff, rest)) >>> 8
    const mixedGreen = (Math.imul(green, alpha) + Math.imul(below & 0x00ff00, rest)) >>> 8
    pixels[at] = 0xff000000 | (mixedOdd & 0xff00ff) | (mixedGreen & 0x00ff00)
  }
}

/** The pixels of a disc, and how much of each it covers, from 0 to 256. */
function stampOf(radius: number, width: number) {
  const reach = Math.ceil(radius)
  const [offsets, alphas]: [number[], number[]] = [[], []]
  for (let row = -reach; row <= reach; row++) {
    for (let column = -reach; column <= reach; column++) {
      const cover = Math.min(1, radius + 0.5 - Math.hypot(row, column))
      if (cover <= 0) continue
      offsets.push(row * width + column)
      alphas.push(Math.round(256 * opacity * cover))
    }
  }
  return { reach, offsets: Int32Array.from(offsets), alphas: Int32Array.from(alphas) }
}
