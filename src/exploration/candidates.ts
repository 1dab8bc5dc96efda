// The items that a request may pick from, and their embeddings.

import { RenError } from '../core/errors.ts'
import type { ItemIndex, Decision } from '../core/types.ts'
import type { Allocator, Engine, Tensor } from '../kernels/index.ts'

/** The items of one request. Scores are indexed by row of `embeddings`. */
export interface Candidates {
  /** The rows that may be picked, each once. */
  readonly rows: Int32Array
  /** The embeddings of the whole catalog, or of the given candidates. */
  readonly embeddings: Tensor
  itemOf(row: number): ItemIndex
  /** Returns μᵀv of every row. */
  dot(vector: ArrayLike<number>): Float32Array
}

/** From this share of candidates on (1 in 64), an array of marks is cheaper than a set. */
const MANY = 64

/** Returns the items that may be picked, in the given order and each once. */
export function eligibleItems({ items, candidates, excluded }: Decision): Int32Array {
  if (candidates !== null && candidates.length < items.rows / MANY) {
    const barred = new Set(excluded)
    return candidates.filter((item) => !barred.has(item) && barred.add(item))
  }
  const barred = new Uint8Array(items.rows)
  for (const item of excluded) barred[item] = 1
  if (candidates !== null) {
    return candidates.filter((item) => barred[item] === 0 && (barred[item] = 1))
  }
  const eligible = new Int32Array(items.rows)
  let count = 0
  for (let item = 0; item < items.rows; item++) if (barred[item] === 0) eligible[count++] = item
  return eligible.subarray(0, count)
}

/**
 * Opens the candidates of a decision. Listed candidates are copied, so that passes are short.
 *
 * @param eligible At least one item.
 */
export function openCandidates(
  engine: Engine,
  temporary: Allocator,
  { items, candidates: list }: Decision,
  eligible: Int32Array,
): Candidates {
  if (list === null) {
    return { rows: eligible, embeddings: items, itemOf: (row) => row, dot: dotWith(engine, items) }
  }
  const indices = temporary.indices('candidates', eligible.length)
  indices.values.set(eligible)
  const embeddings = temporary.matrix('candidates', eligible.length, items.columns)
  engine.trusted.gather({ table: items, indices, out: embeddings })
  return {
    rows: eligible.map((_, row) => row),
    embeddings,
    itemOf: (row) => eligible[row]!,
    dot: dotWith(engine, embeddings),
  }
}

/** Adds the decision's offsets to the scores of the rows that may be picked. */
export function addOffsets(
  { offsets }: Pick<Decision, 'offsets'>,
  { rows, itemOf }: Pick<Candidates, 'rows' | 'itemOf'>,
  scores: Float32Array | Float64Array,
): void {
  if (offsets === undefined) return
  for (const row of rows) {
    const item = itemOf(row)
    const offset = offsets[item]!
    if (!Number.isFinite(offset)) {
      throw new RenError('non-finite-input', `offsets[${item}] is ${offset}`)
    }
    scores[row]! += offset
  }
}

const dotWith = (engine: Engine, x: Tensor) => (values: ArrayLike<number>) =>
  engine.scope((temporary) => {
    const vector = temporary.vector('vector', x.columns)
    const out = temporary.vector('products', x.rows)
    vector.values.set(values)
    engine.trusted.dotRows({ x, vector, out })
    // If a product is not finite, the checked call throws an error that names the value.
    if (engine.trusted.allFinite({ x: out }) !== 1) engine.operations.dotRows({ x, vector, out })
    return out.values.slice()
  })
