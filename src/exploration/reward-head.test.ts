import { describe, expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createRewardHead } from './neural-ucb.ts'

const inputsOf = (rows: number, seed: string): Float64Array => {
  const random = createRandom(seed)
  return Float64Array.from({ length: rows * 3 }, () => random.normal())
}

describe('a reward head', () => {
  it('starts at 0 everywhere, with gradients that are not 0', () => {
    const head = createRewardHead(3, 6, 1)
    const gradient = new Float64Array(head.size)
    expect(head.evaluate(inputsOf(1, 'x'), 0, gradient)).toBeCloseTo(0, 15)
    expect(Math.hypot(...gradient)).toBeGreaterThan(0.1)
  })

  it('changes by its gradient when its weights change', () => {
    // A gradient step on one example changes f by −rate·‖g‖²·error to first order.
    const head = createRewardHead(3, 6, 2)
    const x = inputsOf(1, 'x')
    const gradient = new Float64Array(head.size)
    head.evaluate(x, 0, gradient)
    const [square, reward, penalty] = [gradient.reduce((s, g) => s + g * g, 0), 1e-4, 3]
    head.train(x, Float32Array.of(reward), { steps: 1, penalty })
    const moved = head.evaluate(x, 0, gradient)
    expect(moved / ((reward * square) / (penalty + square))).toBeCloseTo(1, 3)
  })

  it('approaches the rewards with more steps, and stays at 0 without examples', () => {
    const inputs = inputsOf(20, 'inputs')
    const rewards = Float32Array.from({ length: 20 }, (_, i) =>
      inputs[3 * i]! * inputs[3 * i + 1]! > 0 ? 1 : 0,
    )
    const error = (steps: number) => {
      const head = createRewardHead(3, 16, 4)
      head.train(inputs, rewards, { steps, penalty: 0.1 })
      const gradient = new Float64Array(head.size)
      return rewards.reduce(
        (sum, r, i) => sum + (head.evaluate(inputs, 3 * i, gradient) - r) ** 2,
        0,
      )
    }
    const errors = [0, 10, 100, 1000].map(error)
    expect(errors).toEqual(errors.toSorted((a, b) => b - a))
    expect(errors[3]).toBeLessThan(errors[0]! * 0.3)
    const idle = createRewardHead(3, 16, 4)
    idle.train(new Float64Array(), new Float32Array(), { steps: 5, penalty: 1 })
    expect(idle.evaluate(inputs, 0, new Float64Array(idle.size))).toBeCloseTo(0, 15)
  })
})
