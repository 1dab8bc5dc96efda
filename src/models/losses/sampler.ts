// Draws items with replacement in proportion to fixed weights, by Walker's and Vose's alias method:
// O(K) to set up, O(1) a draw.

import { invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'

export type Sampler = (count: number, random: Random) => Int32Array

export function createSampler(weights: Float64Array): Sampler {
  const size = weights.length
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (!(total > 0 && Number.isFinite(total))) {
    throw invalid(`sampling weights must sum to a positive number, got ${total}`)
  }
  // Slot k keeps item k with probability keep[k] and gives alias[k] otherwise.
  const acceptance = weights.map((weight) => (weight * size) / total)
  const alias = Int32Array.from({ length: size }, (_, k) => k)
  const [small, large]: [number[], number[]] = [[], []]
  acceptance.forEach((share, k) => (share < 1 ? small : large).push(k))
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop()!, large.pop()!]
    alias[less] = more
    acceptance[more]! -= 1 - acceptance[less]!
    ;(acceptance[more]! < 1 ? small : large).push(more)
  }
  return (count, random) =>
    Int32Array.from({ length: count }, () => {
      const slot = random.integer(size)
      return random.uniform() < acceptance[slot]! ? slot : alias[slot]!
    })
}
