import { beforeAll, describe, expect, it } from 'vitest'
import { openScored } from '../../../test/check-loss.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import type { Loss } from './loss.ts'
import { binaryCrossEntropy, squaredError } from './reward.ts'

describe('losses of the reward', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'reference' })
  })

  /** One position with θ = 1 and one item with μ = score. */
  function lossOf(loss: Loss, score: number, reward: number, bias?: number) {
    const sizes = { positions: 1, itemCount: 1, width: 1, withBias: bias !== undefined }
    const scored = openScored(engine, sizes, createRandom(1))
    scored.theta.values[0] = 1
    scored.items.values[0] = score
    if (bias !== undefined) scored.bias!.value.values[0] = bias
    const rewards = Float32Array.of(reward)
    const targets = { rows: Int32Array.of(0), items: Int32Array.of(0), rewards }
    const value = loss.apply(scored, targets, new Int32Array())
    return { value, slope: scored.dItems.values[0]! }
  }

  it('squared error is half the squared error, with the error as its slope', () => {
    expect(lossOf(squaredError(), 3, 1)).toEqual({ value: 2, slope: 2 })
    expect(lossOf(squaredError(), 3, 1, -2)).toEqual({ value: 0, slope: 0 })
  })

  it('binary cross-entropy is −ln of the probability of the outcome', () => {
    const chance = 1 / (1 + Math.exp(-0.7))
    expect(lossOf(binaryCrossEntropy(), 0.5, 1, 0.2).value).toBeCloseTo(-Math.log(chance), 6)
    expect(lossOf(binaryCrossEntropy(), 0.5, 0, 0.2).value).toBeCloseTo(-Math.log(1 - chance), 6)
  })

  it('binary cross-entropy of an extreme score is finite and has a slope', () => {
    expect(lossOf(binaryCrossEntropy(), 1000, 0)).toEqual({ value: 1000, slope: 1 })
    expect(lossOf(binaryCrossEntropy(), -1000, 1)).toEqual({ value: 1000, slope: -1 })
    expect(lossOf(binaryCrossEntropy(), 1000, 1)).toEqual({ value: 0, slope: 0 })
  })

  it.each([-0.5, 1.5, Number.NaN])('binary cross-entropy refuses a reward of %f', (reward) => {
    expect(() => lossOf(binaryCrossEntropy(), 0.5, reward)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: `binary cross-entropy: a reward must be from 0 to 1, got ${reward}`,
      }),
    )
  })
})
