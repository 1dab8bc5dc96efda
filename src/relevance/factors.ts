// Item factors of the transition memory: vectors whose inner products approximate how often items
// meet within a window, so that item embeddings have a meaning before any training.
//   S = D^−½ · C · D^−½ ≈ F·Fᵀ, with symmetric counts C and D = row totals + prior
// The leading eigenvectors come from subspace iteration: a few products of S with a thin block.

import type { Random } from '../core/random.ts'
import { symmetricEigen } from '../core/symmetric-eigen.ts'
import { createTransitions, unit } from './transition-counts.ts'
import type { Transitions } from './transition-counts.ts'

export interface FactorOptions {
  readonly itemCount: number
  /** Values per item. */
  readonly dimension: number
  /** Root mean square of the values of each item. Defaults to 0.1, as random embeddings have it. */
  readonly scale?: number
  readonly random: Random
}

/** Columns beyond the dimension: with them, few rounds are enough. */
const spareColumns = 10
const rounds = 6
/** Transitions added to each row total, so that items with few of them stay small. */
const prior = 10 * unit

/**
 * Factors of the items that follow each other in histories, one row per item (K × d). All rows have
 * the same length; items without a transition get a random row.
 *
 * @param histories The items of each user, in order of time.
 */
export function itemFactors(
  histories: Iterable<Int32Array>,
  { itemCount, dimension, scale = 0.1, random }: FactorOptions,
): Float32Array {
  const similarity = createSimilarity(histories, itemCount)
  const width = Math.min(itemCount, dimension + spareColumns)
  let block: Block = { values: new Float32Array(itemCount * width), width }
  for (let i = 0; i < block.values.length; i++) block.values[i] = random.normal()
  for (let round = 0; round < rounds; round++) {
    orthogonalize(block)
    block = similarity.multiply(block)
  }
  orthogonalize(block)
  const { values, vectors } = symmetricEigen(products(block, similarity.multiply(block)), width)
  const columns = vectors
    .slice(0, dimension)
    .map((vector, column) => vector.map((x) => x * Math.sqrt(Math.max(0, values[column]!))))
  return scaledRows(block, columns, { itemCount, dimension, scale, random })
}

/** A thin matrix with one row per item, row by row. */
interface Block {
  readonly values: Float32Array
  readonly width: number
}

/** S in compressed rows. */
function createSimilarity(histories: Iterable<Int32Array>, itemCount: number) {
  const transitions = createTransitions(1)
  for (const items of histories) transitions.count(items, 0, items.length, 1)
  const shrink = Float64Array.from(
    { length: itemCount },
    (_, item) => 1 / Math.sqrt(transitions.rowTotal(item) + prior),
  )
  const { starts, neighbors, weights } = compress(transitions, itemCount, shrink)
  return {
    multiply({ values, width }: Block): Block {
      const out = new Float32Array(values.length)
      for (let item = 0; item < itemCount; item++) {
        const row = out.subarray(item * width, (item + 1) * width)
        for (let at = starts[item]!; at < starts[item + 1]!; at++) {
          const from = neighbors[at]! * width
          const weight = weights[at]!
          for (let i = 0; i < width; i++) row[i]! += weight * values[from + i]!
        }
      }
      return { values: out, width }
    },
  }
}

function compress(transitions: Transitions, itemCount: number, shrink: Float64Array) {
  const starts = new Int32Array(itemCount + 1)
  for (let item = 0; item < itemCount; item++) {
    starts[item + 1] = starts[item]! + transitions.size(item)
  }
  const neighbors = new Int32Array(starts[itemCount]!)
  const weights = new Float32Array(neighbors.length)
  for (let item = 0; item < itemCount; item++) {
    let at = starts[item]!
    transitions.each(item, (neighbor, count) => {
      neighbors[at] = neighbor
      weights[at++] = count * shrink[item]! * shrink[neighbor]!
    })
  }
  return { starts, neighbors, weights }
}

/** aᵀ·b (width × width). */
function products(a: Block, b: Block): Float64Array {
  const { width } = a
  const sums = new Float64Array(width * width)
  for (let from = 0; from < a.values.length; from += width) {
    for (let i = 0; i < width; i++) {
      const x = a.values[from + i]!
      if (x === 0) continue
      for (let j = 0; j < width; j++) sums[i * width + j]! += x * b.values[from + j]!
    }
  }
  return sums
}

/** Makes the columns orthonormal in place, through the Cholesky factor of blockᵀ·block. */
function orthogonalize(block: Block): void {
  const { values, width } = block
  const lower = cholesky(products(block, block), width)
  for (let from = 0; from < values.length; from += width) {
    for (let i = 0; i < width; i++) {
      const pivot = lower[i * width + i]!
      let x = values[from + i]!
      for (let j = 0; j < i; j++) x -= lower[i * width + j]! * values[from + j]!
      values[from + i] = pivot === 0 ? 0 : x / pivot
    }
  }
}

/** L of L·Lᵀ; a column that depends on the ones before it gets a pivot of 0. */
function cholesky(matrix: Float64Array, width: number): Float64Array {
  const lower = new Float64Array(width * width)
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * width + j]!
      for (let k = 0; k < j; k++) sum -= lower[i * width + k]! * lower[j * width + k]!
      if (i === j) lower[i * width + i] = sum > 1e-9 * matrix[i * width + i]! ? Math.sqrt(sum) : 0
      else lower[i * width + j] = lower[j * width + j] === 0 ? 0 : sum / lower[j * width + j]!
    }
  }
  return lower
}

/** block · columns, each row at the same length. */
function scaledRows(
  { values, width }: Block,
  columns: readonly Float64Array[],
  { itemCount, dimension, scale = 0, random }: FactorOptions,
): Float32Array {
  const factors = new Float32Array(itemCount * dimension)
  for (let item = 0; item < itemCount; item++) {
    const row = factors.subarray(item * dimension, (item + 1) * dimension)
    for (const [column, vector] of columns.entries()) {
      for (let i = 0; i < width; i++) row[column]! += values[item * width + i]! * vector[i]!
    }
    const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0))
    const isKnown = length > 1e-6
    const by = isKnown ? (scale * Math.sqrt(dimension)) / length : scale
    for (let i = 0; i < dimension; i++) row[i] = by * (isKnown ? row[i]! : random.normal())
  }
  return factors
}
