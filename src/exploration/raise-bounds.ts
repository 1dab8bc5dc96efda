// Bounds of scores from bounds of relevance: a second pick from one pool need not read its vectors again.

import type { Pool } from './pool.ts'

export interface Raise {
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
  /** Takes λ_u·σ + offset of every row; undefined where there are no offsets. */
  readonly shifted: Float32Array | undefined
}

/** Of float32: the smallest number, and the length that a vector can lose when its squares underflow. */
const [smallest, underflow] = [2 ** -149, 5.3e-23]

/**
 * The pool's bounds are those of relevance with its offsets. Diversity is at most the norm; what
 * float32 has lost of the norm and what it loses of the sum is added, as in scoreBounds.
 */
export function raiseBounds(pool: Pool, { diversityWeight, uncertaintyWeight, shifted }: Raise) {
  const { items } = pool
  const offsets = shifted && pool.offsets
  const [bounds, norms, sigma] = [pool.bounds.values, pool.norms.values, pool.uncertainty.values]
  const long = (items.columns + 16) * 2 ** -23
  const perNorm = diversityWeight * (1 + long)
  const lost = perNorm * Math.sqrt(items.columns) * underflow + 8 * smallest
  for (let row = 0; row < bounds.length; row++) {
    const bound = bounds[row]!
    const norm = perNorm * norms[row]!
    const bonus = uncertaintyWeight * sigma[row]!
    let [before, third] = [0, bonus]
    if (offsets !== undefined) {
      before = offsets[row]!
      third = Math.fround(bonus + before)
      shifted![row] = third
    }
    const sizes = Math.abs(bound) + norm + Math.abs(third) + Math.abs(before)
    bounds[row] = bound + norm + (third - before) + 2 ** -22 * sizes + lost
  }
}
