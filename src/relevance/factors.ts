// Item factors of the transition memory: vectors whose inner products approximate how often items
// occur close together in histories. They give useful item embeddings before any training.
//   S = D^−½ · C · D^−½ ≈ F·Fᵀ, with symmetric counts C and D = row totals + prior
// Subspace iteration computes the leading eigenvectors from a few products of S with a thin block.

import type { Random } from '../core/random.ts'
import { createScratch, type Scratch } from '../core/release-memory.ts'
import type { ItemIndex } from '../core/types.ts'
import { symmetricEigen } from '../core/symmetric-eigen.ts'
import { Transitions, unit } from './transition-counts.ts'

interface FactorOptions {
  readonly itemCount: number
  /** Values per item. */
  readonly dimension: number
  /** Root mean square of the values of each item. Defaults to 0.1, that of random embeddings. */
  readonly scale?: number
  readonly random: Random
}

/** Columns beyond the dimension, which make the iteration converge in fewer rounds. */
const spareColumns = 10
const rounds = 6
/** Added to each row total, so that items with few transitions get small factors. */
const prior = 10 * unit

/**
 * Computes the factors of items from histories, one row per item (K × d). All rows have the same
 * length; items without a transition get a random row.
 *
 * @param histories The items of each user, in order of time.
 */
export function itemFactors(
  histories: Iterable<Int32Array>,
  options: FactorOptions,
): Float32Array<ArrayBuffer> {
  const transitions = new Transitions(1)
  for (const items of histories) transitions.count(items, 0, items.length, 1)
  const similarity = finish(compress(transitions, options.itemCount))
  transitions.release()
  return finish(similarityFactors(similarity, options))
}

function finish<T>(steps: Generator<undefined, T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/**
 * Computes the factors from counted transitions, in steps of a few milliseconds. You may count
 * transitions between two steps.
 */
export function* transitionFactors(
  transitions: Transitions,
  options: FactorOptions,
): Generator<undefined, Float32Array<ArrayBuffer>> {
  const similarity = yield* compress(transitions, options.itemCount)
  return yield* similarityFactors(similarity, options)
}

function* similarityFactors(
  similarity: Similarity,
  options: FactorOptions,
): Generator<undefined, Float32Array<ArrayBuffer>> {
  const { itemCount, dimension, random } = options
  const width = Math.min(itemCount, dimension + spareColumns)
  let block: Block = { values: new Float32Array(itemCount * width), width }
  for (let i = 0; i < block.values.length; i++) block.values[i] = random.normal()
  for (let round = 0; round < rounds; round++) {
    yield* orthogonalize(block)
    block = yield* multiply(similarity, block)
  }
  yield* orthogonalize(block)
  const inner = yield* products(block, yield* multiply(similarity, block))
  similarity.scratch.release()
  const { values, vectors } = symmetricEigen(inner, width)
  const columns = vectors
    .slice(0, dimension)
    .map((vector, column) => vector.map((x) => x * Math.sqrt(Math.max(0, values[column]!))))
  return scaledRows(block, columns, options)
}

/** A thin matrix with one row per item, in row-major order. */
interface Block {
  readonly values: Float32Array
  readonly width: number
}

/** Some rows of S, compressed. */
interface Rows {
  readonly first: ItemIndex
  readonly starts: Int32Array
  readonly neighbors: Int32Array
  readonly weights: Float32Array
}

interface Similarity {
  readonly rows: readonly Rows[]
  /** The memory of the rows. */
  readonly scratch: Scratch
  /** Whether to add the transposed rows: asymmetric counts are replaced by C + Cᵀ. */
  readonly addTransposed: boolean
}

/** Limits per step: a few milliseconds, even in code that is not optimized yet. */
const multiplicationsPerStep = 200_000
const entriesPerStep = 5000
const maxRowsPerStep = 5000

function* compress(transitions: Transitions, itemCount: number): Generator<undefined, Similarity> {
  const addTransposed = transitions.backward < 1
  const shrink = Float64Array.from({ length: itemCount }, (_, item) => {
    const total = transitions.rowTotal(item) + (addTransposed ? transitions.columnTotal(item) : 0)
    return 1 / Math.sqrt(total + prior)
  })
  const rows: Rows[] = []
  const scratch = createScratch()
  for (let first = 0; first < itemCount;) {
    let [end, size] = [first, 0]
    while (end < itemCount && end - first < maxRowsPerStep && size < entriesPerStep) {
      size += transitions.size(end++)
    }
    rows.push(compressRows(transitions, first, end, shrink, scratch))
    first = end
    yield
  }
  return { rows, scratch, addTransposed }
}

function compressRows(
  transitions: Transitions,
  first: ItemIndex,
  end: ItemIndex,
  shrink: Float64Array,
  scratch: Scratch,
): Rows {
  const starts = new Int32Array(end - first + 1)
  for (let item = first; item < end; item++) {
    starts[item - first + 1] = starts[item - first]! + transitions.size(item)
  }
  const neighbors = scratch.int32(starts[end - first]!)
  const weights = scratch.float32(neighbors.length)
  for (let item = first; item < end; item++) {
    let at = starts[item - first]!
    transitions.each(item, (neighbor, count) => {
      // Items that were added after the first step have weight 0.
      const isKnown = neighbor < shrink.length
      neighbors[at] = isKnown ? neighbor : 0
      weights[at++] = isKnown ? count * shrink[item]! * shrink[neighbor]! : 0
    })
  }
  return { first, starts, neighbors, weights }
}

/** S · block. */
function* multiply(
  { rows, addTransposed }: Similarity,
  { values, width }: Block,
): Generator<undefined, Block> {
  const out = { values: new Float32Array(values.length), width }
  let work = 0
  for (const some of rows) {
    addProducts(some, values, out, false)
    if (addTransposed) addProducts(some, values, out, true)
    work += some.neighbors.length * width * (addTransposed ? 2 : 1)
    if (work < multiplicationsPerStep) continue
    yield
    work = 0
  }
  return out
}

/** Adds the products with some rows of S, or with the same columns of its transpose. */
function addProducts(
  { first, starts, neighbors, weights }: Rows,
  values: Float32Array,
  { values: out, width }: Block,
  isTransposed: boolean,
): void {
  for (let at = 0; at + 1 < starts.length; at++) {
    const own = (first + at) * width
    for (let entry = starts[at]!; entry < starts[at + 1]!; entry++) {
      const other = neighbors[entry]! * width
      const from = isTransposed ? own : other
      const to = isTransposed ? other : own
      const weight = weights[entry]!
      for (let i = 0; i < width; i++) out[to + i]! += weight * values[from + i]!
    }
  }
}

/** aᵀ·b (width × width). */
function* products(a: Block, b: Block): Generator<undefined, Float64Array> {
  const sums = new Float64Array(a.width * a.width)
  for (const [from, to] of stretches(a)) {
    addOuterProducts(sums, a, b, from, to)
    yield
  }
  return sums
}

/** Splits the values into ranges of whole rows, each one step of work. */
function* stretches({ values, width }: Block): Generator<readonly [from: number, to: number]> {
  const length = width * Math.ceil(multiplicationsPerStep / (width * width))
  for (let from = 0; from < values.length; from += length) {
    yield [from, Math.min(values.length, from + length)]
  }
}

function addOuterProducts(
  sums: Float64Array,
  { values: a, width }: Block,
  { values: b }: Block,
  begin: number,
  end: number,
): void {
  for (let from = begin; from < end; from += width) {
    for (let i = 0; i < width; i++) {
      const x = a[from + i]!
      if (x === 0) continue
      for (let j = 0; j < width; j++) sums[i * width + j]! += x * b[from + j]!
    }
  }
}

/** Makes the columns orthonormal in place, by the Cholesky factor of blockᵀ·block. */
function* orthogonalize(block: Block): Generator<undefined, void> {
  const lower = cholesky(yield* products(block, block), block.width)
  for (const [from, to] of stretches(block)) {
    solveRows(lower, block, from, to)
    yield
  }
}

function solveRows(
  lower: Float64Array,
  { values, width }: Block,
  begin: number,
  end: number,
): void {
  for (let from = begin; from < end; from += width) {
    for (let i = 0; i < width; i++) {
      const pivot = lower[i * width + i]!
      let x = values[from + i]!
      for (let j = 0; j < i; j++) x -= lower[i * width + j]! * values[from + j]!
      values[from + i] = pivot === 0 ? 0 : x / pivot
    }
  }
}

/** Returns L of L·Lᵀ. A column that depends on earlier ones gets a pivot of 0. */
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

/** Returns block · columns, with all rows scaled to the same length. */
function scaledRows(
  { values, width }: Block,
  columns: readonly Float64Array[],
  { itemCount, dimension, scale = 0.1, random }: FactorOptions,
): Float32Array<ArrayBuffer> {
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
