// W = L⁻¹ for A = I + Σ hhᵀ = L·Lᵀ, in float64: what √(xᵀA⁻¹x) = ‖W x‖ is computed with.
//
// W is grown visit by visit from I. To sum A, factor and invert it would be a little faster, but
// subtracts: long vectors along few directions leave its pivots to cancellation. Growing only
// multiplies, divides and takes roots of positive numbers.
//
// The order of operations is part of the definition: assembly/whitening.ts does the same ones in
// the same order, two lanes at a time, so that both find the same bits and agree on every tie.

import { mix } from '../core/random.ts'

/**
 * Computes the whitening matrix W (d × d, lower triangular, row-major) of a history whose rows have
 * d values each.
 */
export function whiteningOf(dimension: number, history: Iterable<ArrayLike<number>>): Float64Array {
  const w = new Float64Array(dimension * dimension)
  for (let i = 0; i < dimension; i++) w[i * dimension + i] = 1
  for (const h of history) growWhitening(dimension, w, h)
  return w
}

/** Multiplies a vector by the whitening matrix: y = W x. */
export function whiten(dimension: number, w: Float64Array, x: ArrayLike<number>): Float64Array {
  const wide = new Float64Array(dimension)
  const y = new Float64Array(dimension)
  for (let j = 0; j < dimension; j++) wide[j] = x[j]!
  for (let i = 0; i < dimension; i++) y[i] = dot(w, i * dimension, wide, 0, i + 1)
  return y
}

/**
 * Returns the diversity bonus √(xᵀA⁻¹x) of an item, as the root of a sum of squares, which cannot
 * be negative.
 */
export function bonus(dimension: number, w: Float64Array, x: ArrayLike<number>): number {
  const y = whiten(dimension, w, x)
  return Math.sqrt(dot(y, 0, y, 0, dimension))
}

/**
 * Adds one item to a whitening matrix.
 *
 * W for A + xxᵀ, in place and O(d²). With y = Wx, A + xxᵀ = L(I + yyᵀ)Lᵀ and I + yyᵀ = MMᵀ, the new
 * W is M⁻¹W, whose rows are √(t/t')·(W_i − (y_i/t)·Σ_{j<i} y_j W_j) with t = 1 + Σ_{j<i} y_j² and
 * t' = t + y_i².
 */
export function growWhitening(dimension: number, w: Float64Array, x: ArrayLike<number>): void {
  const y = whiten(dimension, w, x)
  const before = new Float64Array(dimension) // Σ_{j<i} y_j W_j
  let t = 1
  for (let i = 0; i < dimension; i++) {
    const next = t + y[i]! * y[i]!
    const scale = Math.sqrt(t / next)
    const factor = y[i]! / t
    for (let j = 0; j <= i; j++) {
      const old = w[i * dimension + j]!
      w[i * dimension + j] = scale * (old - factor * before[j]!)
      before[j]! += y[i]! * old
    }
    t = next
  }
}

/** x·y over `count` values from the given places: even and odd ones apart, then together. */
function dot(x: Float64Array, xAt: number, y: Float64Array, yAt: number, count: number): number {
  let [even, odd] = [0, 0]
  for (let j = 0; j < count; j += 2) even += x[xAt + j]! * y[yAt + j]!
  for (let j = 1; j < count; j += 2) odd += x[xAt + j]! * y[yAt + j]!
  return even + odd
}

// Ties are broken by a hash of (request, item): fair between items, the same on every machine.

/**
 * Hashes an item to an unsigned 32-bit integer, to break ties: of equal scores, the smaller hash
 * wins.
 */
export function tieHash(seed: number, item: number): number {
  return mix((Math.imul(item, 0x9e3779b9) + seed) | 0)
}
