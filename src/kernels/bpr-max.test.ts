// Extreme cases of BPR-max that random numbers do not reach, on every engine.

import { beforeAll, describe, expect, it } from 'vitest'

import { createEngine } from './engine.ts'
import type { Engine } from './engine.ts'

describe.each(['relaxed-simd', 'simd128', 'reference'] as const)('BPR-max on %s', (kernel) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel })
  })

  /** The loss of one row whose target stands in front, and its gradient. */
  const lossOf = (row: readonly number[], elu: boolean) => {
    const scores = engine.matrix('scores', 1, row.length)
    const [weights, losses] = [engine.vector('weights', 1), engine.vector('losses', 1)]
    const targets = engine.indices('targets', 1)
    scores.values.set(row)
    weights.values.fill(1)
    const options = { elu, alpha: 0.5, regularization: 0 }
    engine.operations.bprMaxRows({ ...options, targets, weights, scores, losses })
    return { loss: losses.values[0], gradient: [...scores.values] }
  }
  const zeros = (count: number) => Array.from({ length: count }, () => expect.closeTo(0, 6))

  describe.each([false, true])('with ELU %s', (elu) => {
    it('is 0 without negatives', () => {
      expect(lossOf([3], elu)).toEqual({ loss: 0, gradient: [0] })
    })

    it('is at most −ln 10⁻²⁴, where it is flat', () => {
      for (const row of [
        [-200, 100, -100, 0, 3],
        [-1e4, 1e4, 1e4, -1e4, 0, 1],
      ]) {
        const hopeless = expect.closeTo(-Math.log(1e-24), 4)
        expect(lossOf(row, elu)).toEqual({ loss: hopeless, gradient: zeros(row.length) })
      }
    })

    it('vanishes for a target far above all others', () => {
      const certain = lossOf([1000, -1000, 5, -3, 2, 7], elu)
      expect(certain).toEqual({ loss: expect.closeTo(0, 6), gradient: zeros(6) })
    })
  })
})
