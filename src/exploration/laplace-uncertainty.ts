// A last-layer Laplace estimate of σ_k with diagonal precision: for rewards r = μ_kᵀθ + noise of
// deviation s and the prior N(·, s₀²I), each observation of item k at θ adds θ∘θ/s² to the
// precision of μ_k, so σ_k = (1/s₀² + Σ_n θ_n∘θ_n/s²)^(−½), and nothing needs to be trained.
//
// It is given relative to the prior, ‖σ_k‖∞/s₀ = (1 + (s₀/s)²·min_j Σ_n θ_nj²)^(−½): 1 for an item
// nobody has seen, as under the counting rules. The worst dimension counts, so an item is known
// only when it was shown to users who differ in every direction.

import { RenError, invalid } from '../core/errors.ts'
import { requirePositiveInteger } from './requirements.ts'
import type { SavedEvidence, SavedTensor, UncertaintyEstimator } from './uncertainty.ts'

/** Settings of {@link createLaplaceUncertainty}. */
export interface LaplaceOptions {
  readonly dimension: number
  readonly itemCount: number
  /** s₀, in the units of the embeddings. */
  readonly priorDeviation: number
  /** s: the deviation of a reward around μ_kᵀθ. */
  readonly noise: number
}

/**
 * An estimator that gathers its own evidence and reads none; 8·d + 4 bytes per item.
 *
 * Sums are over θ as they were when observed. Once training has moved the weights, old and new θ
 * are of different weights and their sum is only approximate, the more so the further θ has moved;
 * where that matters, `forget` and observe again.
 */
export interface LaplaceUncertainty extends UncertaintyEstimator {
  /** The item was shown to a user who stood at θ; never makes it less certain. */
  observe(item: number, userEmbedding: Float32Array): void
  /** New items at the end of the catalog. */
  addItems(count: number): void
  /** Back to the prior. */
  forget(): void
  save(): SavedEvidence
  restore(saved: SavedEvidence, itemCount: number): void
}

/**
 * Creates an estimator based on a Laplace approximation of the last layer: an item becomes certain
 * when it was shown to users with different embeddings. It needs no training.
 */
export function createLaplaceUncertainty(options: LaplaceOptions): LaplaceUncertainty {
  const { dimension, priorDeviation, noise } = options
  requirePositiveInteger('dimension', dimension)
  requirePositiveInteger('itemCount', options.itemCount)
  requirePositive('priorDeviation', priorDeviation)
  requirePositive('noise', noise)
  const weight = (priorDeviation / noise) ** 2
  requirePositive('(priorDeviation/noise)²', weight)
  let squares = new Float64Array(options.itemCount * dimension) // Σ_n θ_n∘θ_n
  let uncertainty = new Float32Array(options.itemCount).fill(1)
  let generation = 0

  function judge(item: number): void {
    let least = Infinity
    for (let j = 0; j < dimension; j++) least = Math.min(least, squares[item * dimension + j]!)
    uncertainty[item] = 1 / Math.sqrt(1 + weight * least)
  }

  /** Takes these sums, and the prior for all items beyond them. */
  function hold(sums: Float64Array, itemCount: number): void {
    const held = new Float64Array(itemCount * dimension)
    held.set(sums)
    squares = held
    generation += 1
    uncertainty = new Float32Array(itemCount)
    for (let item = 0; item < itemCount; item++) judge(item)
  }

  return {
    name: 'laplace',
    movedBy: 'shown',
    get generation() {
      return generation
    },
    observe(item, userEmbedding) {
      requireItem(item, uncertainty.length)
      requireEmbedding(userEmbedding, dimension)
      for (let j = 0; j < dimension; j++) {
        squares[item * dimension + j]! += userEmbedding[j]! ** 2
      }
      judge(item)
    },
    addItems(count) {
      requirePositiveInteger('count', count)
      hold(squares, uncertainty.length + count)
    },
    save: () =>
      new Map([['squares', { shape: [uncertainty.length, dimension], data: squares.slice() }]]),
    restore(saved, itemCount) {
      requirePositiveInteger('itemCount', itemCount)
      const savedSquares = saved.get('squares')
      const sums = savedSquares
        ? squaresIn(savedSquares, itemCount, dimension)
        : squares.subarray(0, itemCount * dimension)
      hold(sums, itemCount)
    },
    forget() {
      generation += 1
      squares.fill(0)
      uncertainty.fill(1)
    },
    estimate(_, out, items) {
      if (out.length !== uncertainty.length) {
        throw new RenError(
          'shape-mismatch',
          `the uncertainty of ${uncertainty.length} items cannot fill that of ${out.length}`,
        )
      }
      if (items === undefined) out.set(uncertainty)
      else for (const item of items) out[item] = uncertainty[item]!
    },
  }
}

function squaresIn({ shape, data }: SavedTensor, itemCount: number, dimension: number) {
  const [rows, columns] = shape
  if (shape.length !== 2 || rows !== itemCount || columns !== dimension) {
    throw new RenError(
      'shape-mismatch',
      `squares must be ${itemCount} × ${dimension}, got ${shape.join(' × ')}`,
    )
  }
  const isSum = (value: number) => value >= 0 && value < Infinity
  if (data instanceof Float64Array && data.length === rows * columns && data.every(isSum)) {
    return data
  }
  throw invalid(`squares must hold ${itemCount * dimension} finite float64 of at least 0`)
}

function requirePositive(what: string, value: number): void {
  if (value > 0 && Number.isFinite(value)) return
  throw invalid(`${what} must be a positive number, got ${value}`)
}

function requireItem(item: number, itemCount: number): void {
  if (Number.isInteger(item) && item >= 0 && item < itemCount) return
  throw new RenError(
    'index-out-of-range',
    `item ${item} was observed, expected 0 to ${itemCount - 1}`,
  )
}

function requireEmbedding(values: Float32Array, dimension: number): void {
  if (values.length !== dimension) {
    throw new RenError(
      'shape-mismatch',
      `userEmbedding must hold ${dimension} values, got ${values.length}`,
    )
  }
  const at = values.findIndex((value) => !Number.isFinite(value))
  if (at < 0) return
  throw new RenError('non-finite-input', `userEmbedding[${at}] is ${values[at]}`)
}
