// What chance alone earns, exactly.

import { invalid } from '../core/errors.ts'

/**
 * The expected best reward among `count` items drawn without replacement: with the rewards in
 * ascending order, the i-th is the best of a draw with chance C(i − 1, count − 1)/C(n, count).
 */
export function expectedBest(rewards: readonly number[], count: number): number {
  const n = rewards.length
  if (!(Number.isSafeInteger(count) && count >= 1 && count <= n)) {
    throw invalid(`count must be from 1 to ${n}, got ${count}`)
  }
  const ascending = rewards.toSorted((a, b) => a - b)
  let expectation = 0
  let chance = count / n // that the largest reward is drawn
  for (let i = n; i >= count; i--) {
    expectation += chance * ascending[i - 1]!
    // C(i − 2, count − 1)/C(i − 1, count − 1) = (i − count)/(i − 1)
    chance *= (i - count) / (i - 1 || 1)
  }
  return expectation
}
