import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { chooseOne, createChoose } from './choice.ts'

const always = { choiceNoise: 0, positionBias: 0, outsideUtility: undefined }

/** How often each slot is chosen, and nothing (the last entry), per choice. */
function shares(rewards: readonly number[], settings: object, choices = 40_000): number[] {
  const choose = createChoose({ ...always, ...settings }, createRandom(1))
  const counts = Array.from({ length: rewards.length + 1 }, () => 0)
  for (let i = 0; i < choices; i++) counts[choose(rewards) ?? rewards.length]! += 1 / choices
  return counts
}

/** Three standard errors of a share of 40,000 choices. */
const tolerance = 0.0075

function expectShares(found: readonly number[], expected: readonly number[]): void {
  for (const [i, share] of expected.entries())
    expect(Math.abs(found[i]! - share), `slot ${i}: ${found.join(', ')}`).toBeLessThan(tolerance)
}

/** The standard normal distribution function, by numerical integration. */
function normalCdf(z: number): number {
  let sum = 0.5
  const step = z / 1000
  for (let i = 0; i < 1000; i++)
    sum += (step * Math.exp(-(((i + 0.5) * step) ** 2) / 2)) / Math.sqrt(2 * Math.PI)
  return sum
}

describe('a user', () => {
  it('chooses the best item by default, with ties at random', () => {
    expectShares(shares([0.2, 0.8, 0.1, 0.8], {}), [0, 0.5, 0, 0.5, 0])
  })

  it('chooses the worse of two items with probability Φ(−difference/(deviation·√2)) under noise', () => {
    const worse = normalCdf(-0.4 / (0.2 * Math.SQRT2))
    expectShares(shares([0.4, 0.8], { choiceNoise: 0.2 }), [worse, 1 - worse, 0])
  })

  it('examines slot s with probability 1/s to the power of the bias', () => {
    // The best item is in slot 3, and is chosen whenever it is examined.
    const third = 1 / 3
    const second = (1 - third) / 2
    const known = [1 - third - second, second, third, 0]
    expectShares(shares([0.1, 0.2, 0.3], { positionBias: 1 }), known)
    const square = [(1 - 1 / 9) * (1 - 1 / 4), (1 - 1 / 9) / 4, 1 / 9, 0]
    expectShares(shares([0.1, 0.2, 0.3], { positionBias: 2 }), square)
  })

  it('chooses nothing if that has a higher utility than all examined items', () => {
    expectShares(shares([0.4, 0.3], { outsideUtility: 0.5 }), [0, 0, 1])
    expectShares(shares([0.4, 0.6], { outsideUtility: 0.5 }), [0, 1, 0])
    expectShares(shares([0.5], { outsideUtility: 0.5 }), [1, 0])
    const missed = 1 / 2
    const both = { outsideUtility: 0.5, positionBias: 1 }
    expectShares(shares([0.4, 0.6], both), [0, 1 - missed, missed])
    const nothing = normalCdf(-0.3 / (0.2 * Math.SQRT2))
    const noisy = { outsideUtility: 0.5, choiceNoise: 0.2 }
    expectShares(shares([0.8], noisy), [1 - nothing, nothing])
  })
})

describe('the outcome of a slate', () => {
  const best = { bestReward: 0.8, relevantCount: 2 }
  const rewards = [0.8, 0.4, 0.8]
  const outcome = (feedback: 'selected' | 'shown', chosen: number | null) =>
    chooseOne(rewards, best, { feedback, choose: () => chosen, observed: (reward) => reward + 1 })

  it('has the reward of the chosen item, and reports rewards as observed', () => {
    expect(outcome('selected', 1)).toEqual({
      reward: 0.4,
      bestReward: 0.8,
      reported: [null, 1.4, null],
      chosen: [1],
      relevant: [true, false, true],
      relevantCount: 2,
    })
    expect(outcome('shown', 1).reported).toEqual([1.8, 1.4, 1.8])
  })

  it('has a reward of 0 without a choice, and reports 0 for all shown items or nothing', () => {
    expect(outcome('selected', null)).toMatchObject({
      reward: 0,
      chosen: [],
      reported: [null, null, null],
    })
    expect(outcome('shown', null)).toMatchObject({ reward: 0, chosen: [], reported: [0, 0, 0] })
  })

  it('is a slot of the slate for any settings', () => {
    const settings = fc.record({
      choiceNoise: fc.double({ min: 0, max: 2, noNaN: true }),
      positionBias: fc.double({ min: 0, max: 4, noNaN: true }),
      outsideUtility: fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }),
    })
    const slate = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(settings, slate, fc.integer(), (given, values, seed) => {
        const slot = createChoose(given, createRandom(seed))(values)
        if (given.outsideUtility === undefined) expect(slot).not.toBeNull()
        if (slot !== null) expect(values[slot]).toBeDefined()
      }),
    )
  })
})
