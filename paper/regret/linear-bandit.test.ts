import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestSynReward, synRewards } from '../../src/simulation/index.ts'
import { createLinearBandit } from './linear-bandit.ts'
import type { LinearBandit } from './linear-bandit.ts'

const seeds = fc.integer({ min: 0, max: 10_000 })
const rowOf = ({ contexts, dimension }: LinearBandit, item: number) =>
  contexts.slice(item * dimension, (item + 1) * dimension)
const distance = (a: Float64Array, b: Float64Array) => Math.hypot(...a.map((x, j) => x - b[j]!))
const ascending = (a: number, b: number) => a - b

describe('the linear bandit', () => {
  it('has the 28 items of SYN, of length 1, with their mean rewards', () => {
    const bandit = createLinearBandit({ seed: 4 })
    expect(bandit).toMatchObject({ itemCount: 28, dimension: 8, round: 1 })
    expect(bandit.rewards.toSorted(ascending)).toEqual(synRewards().toSorted(ascending))
    expect(Math.max(...bandit.rewards)).toBe(bestSynReward)
    for (let item = 0; item < 28; item++) expect(Math.hypot(...rowOf(bandit, item))).toBeCloseTo(1)
  })

  it('is linear: one θ* of length 1 gives all mean rewards', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const bandit = createLinearBandit({ seed })
        // A pair of liked dimensions has the reward 2/√6: θ* is 1/√3 at every place of the best items.
        const best = bandit.rewards.flatMap((reward, item) => (reward > 0.8 ? [item] : []))
        const theta = new Float64Array(8)
        for (const item of best) {
          for (const [j, x] of rowOf(bandit, item).entries()) if (x > 0) theta[j] = 1 / Math.sqrt(3)
        }
        expect(Math.hypot(...theta)).toBeCloseTo(1)
        for (const [item, reward] of bandit.rewards.entries()) {
          const product = rowOf(bandit, item).reduce((sum, x, j) => sum + x * theta[j]!, 0)
          expect(product).toBeCloseTo(reward, 12)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('returns rewards within the noise around their mean', () => {
    const bandit = createLinearBandit({ seed: 1, noise: 0.1 })
    const errors = Array.from({ length: 2000 }, () => bandit.pull(5) - bandit.rewards[5]!)
    expect(errors.every((error) => Math.abs(error) <= 0.1)).toBe(true)
    expect(Math.abs(errors.reduce((a, b) => a + b) / 2000)).toBeLessThan(0.006) // 5 deviations
    expect(bandit.round).toBe(2001)
    expect(bandit.impressions[5]).toBe(2000)
    expect(createLinearBandit({ seed: 1, noise: 0 }).pull(3)).toBe(bandit.rewards[3])
  })

  it('refuses an invalid noise', () => {
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    expect(() => createLinearBandit({ seed: 1, noise: -1 })).toThrow(invalid)
  })
})

describe('uncertain contexts', () => {
  it('have an error of 1/√n in every dimension after n observations', () => {
    const truth = createLinearBandit({ seed: 0 })
    for (const looks of [1, 4, 100]) {
      let squares = 0
      for (let seed = 0; seed < 40; seed++) {
        const bandit = createLinearBandit({ seed, contexts: 'uncertain', looks: 'all' })
        for (let look = 1; look < looks; look++) bandit.pull(0)
        for (const [at, x] of bandit.contexts.entries()) squares += (x - truth.contexts[at]!) ** 2
      }
      // 40·224 squares, whose mean has a relative deviation of √(2/8960) = 0.015.
      expect((squares / (40 * 28 * 8)) * looks).toBeGreaterThan(0.925)
      expect((squares / (40 * 28 * 8)) * looks).toBeLessThan(1.075)
    }
  })

  it('change only for shown items, from the second impression on', () => {
    const bandit = createLinearBandit({ seed: 2, contexts: 'uncertain' })
    const start = bandit.contexts.slice()
    bandit.pull(7)
    expect(bandit.contexts).toEqual(start)
    bandit.pull(7)
    for (let item = 0; item < 28; item++) {
      const moved = distance(rowOf(bandit, item), start.subarray(item * 8, item * 8 + 8))
      expect(moved > 0).toBe(item === 7)
    }
  })

  it('do not depend on the learner: the n-th observation of an item is the same', () => {
    const items = fc.array(fc.nat(27), { maxLength: 40 })
    fc.assert(
      fc.property(seeds, items, (seed, pulls) => {
        const [one, other] = [0, 1].map(() => createLinearBandit({ seed, contexts: 'uncertain' }))
        for (const item of pulls) one!.pull(item)
        for (const item of pulls.toReversed()) other!.pull(item)
        expect(other!.contexts).toEqual(one!.contexts)
        expect(other!.rewards).toEqual(one!.rewards)
      }),
      { numRuns: 20 },
    )
  })

  it('have a length of at most 1 if clipped, which moves none further from the truth', () => {
    const truth = createLinearBandit({ seed: 0 })
    fc.assert(
      fc.property(seeds, (seed) => {
        const [free, clipped] = [false, true].map((clip) =>
          createLinearBandit({ seed, contexts: 'uncertain', clip }),
        ) as [LinearBandit, LinearBandit]
        for (let item = 0; item < 28; item++) {
          expect(Math.hypot(...rowOf(clipped, item))).toBeLessThan(1 + 1e-12)
          const error = distance(rowOf(clipped, item), rowOf(truth, item))
          expect(error).toBeLessThanOrEqual(distance(rowOf(free, item), rowOf(truth, item)) + 1e-12)
        }
      }),
      { numRuns: 20 },
    )
  })
})
