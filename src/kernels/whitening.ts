// The whitening matrix W = L⁻¹ of A = I + Σ hhᵀ = L·Lᵀ, in float64: √(xᵀA⁻¹x) = ‖W x‖.
//
// Whole blocks of the history are summed into A, which is then factored and inverted. The visits
// after them update W one by one in O(d²). Factoring subtracts, so its error grows with the trace of
// A: at most d·2⁻⁵³·MAX_TRACE. Longer vectors update W one by one from the start, which subtracts
// nothing that cancels.
//
// The order of operations is part of the definition: assembly/whitening.ts performs the same
// operations in the same order, two lanes at a time, so that both compute the same bits and agree on
// every tie.

import { mix } from '../core/random.ts'

/** Number of visits in a block of a history. */
export const WHITENING_BLOCK = 32

const MAX_TRACE = 2 ** 16

/**
 * Computes the whitening matrix W (d × d, lower triangular, row-major) of a history whose rows have
 * d values each.
 */
export function whiteningOf(
  dimension: number,
  history: readonly ArrayLike<number>[],
): Float64Array {
  const whole = history.length - (history.length % WHITENING_BLOCK)
  const start = whole > 0 ? factored(dimension, history.slice(0, whole)) : null
  const w = start ?? identity(dimension)
  for (const h of start ? history.slice(whole) : history) growWhitening(dimension, w, h)
  return w
}

function identity(dimension: number): Float64Array {
  const w = new Float64Array(dimension * dimension)
  for (let i = 0; i < dimension; i++) w[i * dimension + i] = 1
  return w
}

/** W = L⁻¹ from the sum A, or null if its trace is too large. */
function factored(d: number, history: readonly ArrayLike<number>[]): Float64Array | null {
  const a = identity(d)
  for (const h of history) {
    for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) a[i * d + j]! += h[i]! * h[j]!
  }
  let trace = 0
  for (let i = 0; i < d; i++) trace += a[i * d + i]!
  if (!(trace <= MAX_TRACE)) return null
  choleskyInPlace(d, a)
  return invertedFactor(d, a)
}

/** The lower triangle of A becomes L, except that its diagonal holds 1/L_jj. */
function choleskyInPlace(d: number, a: Float64Array): void {
  for (let j = 0; j < d; j++) {
    const inverse = 1 / Math.sqrt(a[j * d + j]! - dot(a, j * d, a, j * d, j))
    for (let i = j + 1; i < d; i++) {
      a[i * d + j] = (a[i * d + j]! - dot(a, i * d, a, j * d, j)) * inverse
    }
    a[j * d + j] = inverse
  }
}

/** W_i = −(Σ_{k<i} L_ik W_k) / L_ii for the columns before the diagonal, and 1/L_ii on it. */
function invertedFactor(d: number, l: Float64Array): Float64Array {
  const w = new Float64Array(d * d)
  const sums = new Float64Array(d)
  for (let i = 0; i < d; i++) {
    sums.fill(0)
    for (let k = 0; k < i; k++) {
      for (let j = 0; j <= k; j++) sums[j]! += l[i * d + k]! * w[k * d + j]!
    }
    const inverse = l[i * d + i]!
    for (let j = 0; j < i; j++) w[i * d + j] = -inverse * sums[j]!
    w[i * d + i] = inverse
  }
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
