// A last-layer Laplace approximation of σ_k with diagonal precision. For rewards r = μ_kᵀθ + noise
// of deviation s and the prior N(·, s₀²I), each observation of item k at θ adds θ∘θ/s² to the
// precision of μ_k: σ_k = (1/s₀² + Σ_n θ_n∘θ_n/s²)^(−½). It needs no training.
//
// The estimate is relative to the prior: ‖σ_k‖∞/s₀ = (1 + (s₀/s)²·min_j Σ_n θ_nj²)^(−½), so a new
// item has 1, as under the counting rules. The least explored dimension counts: an item becomes
// certain only when it was shown to users who differ in every direction.

import { RenError, invalid, shapeMismatch } from '../core/errors.ts'
import { positiveInteger, positiveNumber, requireSettings } from '../core/settings.ts'
import { requireFinite, requireLength, requirePositiveInteger } from './requirements.ts'
import type { Evidence, SavedEvidence, SavedTensor, UncertaintyEstimator } from './uncertainty.ts'

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
 * An estimator that gathers its own evidence; 8·d + 4 bytes per item.
 *
 * It sums θ as they were when observed. Training changes the weights, so sums of old and new θ are
 * only approximate. If that matters, call `forget` and observe again.
 */
export interface LaplaceUncertainty extends Required<UncertaintyEstimator> {
  /** Resets every item to the prior. */
  forget(): void
}

/**
 * Creates an estimator based on a Laplace approximation of the last layer: an item becomes certain
 * when it was shown to users with different embeddings. It needs no training.
 */
export function createLaplaceUncertainty(options: LaplaceOptions): LaplaceUncertainty {
  requireSettings('laplace', settings, options)
  const weight = (options.priorDeviation / options.noise) ** 2
  if (!(weight > 0 && weight < Infinity)) {
    throw invalid(`(priorDeviation/noise)² must be a positive number, got ${weight}`)
  }
  return new Laplace(options.dimension, options.itemCount, weight)
}

const settings = {
  dimension: positiveInteger('Width of embeddings'),
  itemCount: positiveInteger('Items of the catalog'),
  priorDeviation: positiveNumber('Deviation s₀ of the prior'),
  noise: positiveNumber('Deviation s of a reward'),
}

class Laplace implements LaplaceUncertainty {
  readonly name = 'laplace'
  readonly movedBy = 'shown'
  generation = 0
  readonly #dimension: number
  /** (s₀/s)². */
  readonly #weight: number
  #squares = new Float64Array() // Σ_n θ_n∘θ_n
  #uncertainty = new Float32Array()

  constructor(dimension: number, itemCount: number, weight: number) {
    this.#dimension = dimension
    this.#weight = weight
    this.#hold(this.#squares, itemCount)
  }

  /** Sets the sums; items beyond them start from the prior. */
  #hold(sums: Float64Array, itemCount: number): void {
    this.#squares = new Float64Array(itemCount * this.#dimension)
    this.#squares.set(sums)
    this.#uncertainty = new Float32Array(itemCount)
    for (let item = 0; item < itemCount; item++) this.#update(item)
    this.generation += 1
  }

  #update(item: number): void {
    const from = item * this.#dimension
    const least = this.#squares
      .subarray(from, from + this.#dimension)
      .reduce((a, b) => Math.min(a, b))
    this.#uncertainty[item] = 1 / Math.sqrt(1 + this.#weight * least)
  }

  observe(item: number, userEmbedding: Float32Array): void {
    requireItem(item, this.#uncertainty.length)
    requireLength('userEmbedding', userEmbedding.length, this.#dimension)
    requireFinite('userEmbedding', userEmbedding)
    const from = item * this.#dimension
    for (const [j, value] of userEmbedding.entries()) this.#squares[from + j]! += value ** 2
    this.#update(item)
  }

  addItems(count: number): void {
    requirePositiveInteger('count', count)
    this.#hold(this.#squares, this.#uncertainty.length + count)
  }

  save(): SavedEvidence {
    const shape = [this.#uncertainty.length, this.#dimension]
    return new Map([['squares', { shape, data: this.#squares.slice() }]])
  }

  restore(saved: SavedEvidence, itemCount: number): void {
    const squares = saved.get('squares')
    const sums = squares
      ? squaresIn(squares, itemCount, this.#dimension)
      : this.#squares.subarray(0, itemCount * this.#dimension)
    this.#hold(sums, itemCount)
  }

  forget(): void {
    this.#hold(new Float64Array(), this.#uncertainty.length)
  }

  estimate(_: Evidence, out: Float32Array, items?: Int32Array): void {
    requireLength('out', out.length, this.#uncertainty.length)
    if (items === undefined) out.set(this.#uncertainty)
    else for (const item of items) out[item] = this.#uncertainty[item]!
  }
}

function squaresIn({ shape, data }: SavedTensor, itemCount: number, dimension: number) {
  const [rows, columns] = shape
  if (shape.length !== 2 || rows !== itemCount || columns !== dimension) {
    throw shapeMismatch(`squares must be ${itemCount} × ${dimension}, got ${shape.join(' × ')}`)
  }
  const isSum = (value: number) => value >= 0 && value < Infinity
  if (data instanceof Float64Array && data.length === rows * columns && data.every(isSum)) {
    return data
  }
  throw invalid(`squares must hold ${itemCount * dimension} finite float64 of at least 0`)
}

function requireItem(item: number, itemCount: number): void {
  if (Number.isInteger(item) && item >= 0 && item < itemCount) return
  throw new RenError(
    'index-out-of-range',
    `item ${item} was observed, expected 0 to ${itemCount - 1}`,
  )
}
