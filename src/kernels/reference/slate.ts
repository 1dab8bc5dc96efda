// The slate, naively: every item is scored exactly before every pick.

import { NEVER } from '../contract/scoring.ts'
import { tieHash, bonus, growWhitening, whiteningOf } from '../whitening.ts'
import { dot } from './views.ts'
import type { ReferenceKernels } from './views.ts'

const smallest = 2 ** -149 // of float32: what a weight may lose by rounding

export const slate = {
  packRows({ rows, columns, items, packed, scales, errors }) {
    const bytes = bytesOf(packed.values).fill(0)
    const starts = new Int32Array(bytes.buffer, bytes.byteOffset, packed.values.length)
    const root = Math.sqrt(columns)
    for (let k = 0; k < rows; k++) {
      const largest = largestOf(items.row(k))
      const scale = Math.fround(largest / 127)
      const steps = stepsTo(127, largest)
      let [squares, sum] = [0, 0]
      for (const [j, value] of items.row(k).entries()) {
        const whole = nearest(value * steps)
        sum += whole
        bytes[packedPlace(columns, k, j)] = whole
        squares += Math.fround(value - Math.fround(scale * whole)) ** 2
      }
      starts[packedGroup(columns, k) / 4 + (k % 4)] = -middle * sum
      scales.set(0, k, scale)
      const rounding = root * (largest * 2 ** -21 + 5.3e-23)
      errors.set(0, k, Math.sqrt(squares) * (1 + long(columns)) + rounding)
    }
  },

  packedBounds({ rows, columns, diversityWeight, uncertaintyWeight, packed, ...tensors }) {
    const { scales, errors, user, norms, uncertainty, bounds } = tensors
    const bytes = bytesOf(packed.values)
    const starts = new Int32Array(bytes.buffer, bytes.byteOffset, packed.values.length)
    const width = lengthOf(user.values)
    const { whole, step } = narrow(user.values)
    const narrowing = lengthOf(user.values.map((value, j) => value - step * (whole[j]! - middle)))
    const perNorm = diversityWeight + long(columns) * (diversityWeight + width) + narrowing
    const lost = (perNorm + width) * Math.sqrt(columns) * 5.3e-23 + 8192 * columns * smallest
    for (let k = 0; k < rows; k++) {
      const at = (j: number) => bytes[packedPlace(columns, k, j)]!
      const start = starts[packedGroup(columns, k) / 4 + (k % 4)]!
      const product = whole.reduce((sum, value, j) => sum + value * at(j), start) | 0
      const relevance = scales.get(0, k) * step * product
      const more = perNorm * norms.get(0, k) + (width + narrowing) * errors.get(0, k)
      const unknown = uncertaintyWeight * uncertainty.get(0, k)
      const sizes = Math.abs(relevance) + more + Math.abs(unknown)
      bounds.set(0, k, relevance + more + unknown + 2 ** -21 * sizes + lost)
    }
  },

  scoreBounds({ rows, columns, diversityWeight, uncertaintyWeight, ...tensors }) {
    const { items, user, norms, uncertainty, bounds } = tensors
    const width = lengthOf(user.values)
    const perNorm = diversityWeight + long(columns) * (diversityWeight + width) + smallest
    // What underflow can take: squares below 2⁻¹⁵⁰ from a norm, products from a dot product.
    const lost = (perNorm + width) * Math.sqrt(columns) * 5.3e-23 + columns * smallest
    for (let k = 0; k < rows; k++) {
      const relevance = dot(items.row(k), user.values)
      const norm = perNorm * norms.get(0, k)
      const unknown = uncertaintyWeight * uncertainty.get(0, k)
      const sizes = Math.abs(relevance) + norm + Math.abs(unknown)
      bounds.set(0, k, relevance + norm + unknown + 2 ** -22 * sizes + lost)
    }
  },

  raiseBounds({ rows, columns, diversityWeight, uncertaintyWeight, ...tensors }) {
    const { norms, uncertainty, shifted, bounds } = tensors
    const perNorm = diversityWeight * (1 + long(columns))
    const lost = perNorm * Math.sqrt(columns) * 5.3e-23 + 8 * smallest
    for (let k = 0; k < rows; k++) {
      const offset = shifted.get(0, k)
      shifted.set(0, k, uncertaintyWeight * uncertainty.get(0, k) + offset)
      const term = shifted.get(0, k)
      const bound = bounds.get(0, k)
      const norm = perNorm * norms.get(0, k)
      const sizes = Math.abs(bound) + norm + Math.abs(term) + Math.abs(offset)
      bounds.set(0, k, bound + norm + (term - offset) + 2 ** -21 * sizes + lost)
    }
  },

  pickSlate({ sequential, onward, rows, columns, visits, count, tieSeed, ...args }) {
    const { diversityWeight, uncertaintyWeight, items, user, history, uncertainty } = args
    const { bounds, labels, whitening, picks, terms } = args
    const { buffer, byteOffset } = whitening.values
    const w = new Float64Array(buffer, byteOffset, columns * columns)
    const visited = Array.from({ length: visits }, (_, v) => history.row(v))
    if (onward) for (const visit of visited) growWhitening(columns, w, visit)
    else w.set(whiteningOf(columns, visited))
    const relevance = Float64Array.from({ length: rows }, (_, k) =>
      wideDot(items.row(k), user.values),
    )
    const left = new Set([...bounds.values.keys()].filter((k) => bounds.get(0, k) > NEVER))
    let picked = 0
    for (; picked < count && left.size > 0; picked++) {
      let best = { k: -1, score: 0, diversity: 0, tie: 0 }
      for (const k of left) {
        const diversity = bonus(columns, w, items.row(k))
        const unknown = uncertaintyWeight * uncertainty.get(0, k)
        const score = relevance[k]! + diversityWeight * diversity + unknown
        const tie = tieHash(tieSeed, labels[k]!)
        const isBetter = score > best.score || (score === best.score && tie < best.tie)
        if (best.k < 0 || isBetter) best = { k, score, diversity, tie }
      }
      left.delete(best.k)
      picks[picked] = best.k
      terms.row(picked).set([relevance[best.k]!, best.diversity, uncertainty.get(0, best.k)])
      if (sequential) growWhitening(columns, w, items.row(best.k))
    }
    return picked
  },
} satisfies Partial<ReferenceKernels>

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Int8Array =>
  new Int8Array(buffer, byteOffset, byteLength)

const lengthOf = (x: Float32Array): number => Math.sqrt(dot(x, x))

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
