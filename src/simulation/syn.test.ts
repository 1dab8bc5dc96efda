import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import type { Contestant, Environment } from './environment.ts'
import { withOracle } from './environment.ts'
import { run } from './run.ts'
import type { Row } from './run.ts'
import { bestSynReward, createSyn, synRewards } from './syn.ts'
import type { SynOptions } from './syn.ts'

const small: SynOptions = { seed: 1, repeats: 1, steps: 60 }

/** Shows random items. */
function chance({ itemNames }: Environment, seed: number): Contestant {
  const random = createRandom(seed)
  return {
    recommend: ({ count }) => ({
      items: Array.from(random.choose(count, itemNames.length), (k) => ({ item: itemNames[k]! })),
    }),
    observe() {},
    fineTune() {},
  }
}

function play(options: SynOptions, seed = 1): Row[] {
  const environment = createSyn(options)
  return [...run(environment, chance(environment, seed))]
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length

describe('the synthetic world', () => {
  it.each([
    [1, 28],
    [10, 280],
    [50, 1400],
  ])('has, with %i copies, %i items', (repeats, items) => {
    const { itemNames } = createSyn({ ...small, repeats })
    expect(itemNames).toHaveLength(items)
    expect(new Set(itemNames).size).toBe(items)
  })

  it('has rewards of 0, 1/√6 and 2/√6 for 10, 15 and 3 of the 28 items', () => {
    const counts = [0, 1, 2].map(
      (shared) =>
        synRewards().filter((reward) => Math.abs(reward - shared / Math.sqrt(6)) < 1e-12).length,
    )
    expect(counts).toEqual([10, 15, 3])
  })

  it('gives the oracle 2/√6 = .8165 in every round', () => {
    for (const repeats of [1, 10]) {
      const { environment, oracle } = withOracle(createSyn({ ...small, repeats }))
      for (const row of run(environment, oracle)) {
        expect(row.reward).toBe(bestSynReward)
        expect(row.bestReward).toBe(bestSynReward)
        expect(row.relevant.slice(0, 3)).toEqual([true, true, true])
      }
    }
    expect(bestSynReward).toBeCloseTo(0.8165, 4)
  })

  it.each([
    [1, [0.3062, 0.3062, 0.3062]],
    [3, [0.5149, 0.5081, 0.5075]],
    [4, [0.5601, 0.5513, 0.5506]],
  ])('has the known expected best of %i random items in S, M and L', (count, known) => {
    const expected = [1, 10, 50].map((repeats) =>
      expectedBest(Array.from({ length: repeats }, synRewards).flat(), count),
    )
    known.forEach((value, i) => expect(expected[i]).toBeCloseTo(value, 4))
  })

  it.each([
    [1, 1],
    [1, 4],
    [10, 3],
  ])('gives random choice its expected reward (%i copies, %i shown)', (repeats, slateSize) => {
    const steps = 20_000
    const rewards = play({ seed: 3, repeats, steps, slateSize }).map(({ reward }) => reward)
    const expected = expectedBest(Array.from({ length: repeats }, synRewards).flat(), slateSize)
    const deviation = Math.sqrt(mean(rewards.map((reward) => (reward - expected) ** 2)))
    expect(Math.abs(mean(rewards) - expected)).toBeLessThan((4 * deviation) / Math.sqrt(steps))
  })

  it('lets the user choose the best shown item, with ties at random', () => {
    const slots = new Set<number>()
    for (const { reported, chosen, reward } of play({ ...small, feedback: 'shown', steps: 400 })) {
      expect(reported[chosen[0]!]).toBe(Math.max(...(reported as number[])))
      expect(reward).toBe(reported[chosen[0]!])
      slots.add(chosen[0]!)
    }
    expect(slots).toEqual(new Set([0, 1, 2, 3]))
  })

  it('reports the reward of the chosen item, or of all shown items', () => {
    for (const { reported, chosen } of play({ ...small, feedback: 'selected' })) {
      expect(reported.map((reward) => reward !== null)).toEqual(
        reported.map((_, i) => i === chosen[0]),
      )
    }
    for (const { reported } of play({ ...small, feedback: 'shown' }))
      expect(reported).not.toContain(null)
  })

  it('depends only on the seed', () => {
    expect(play(small)).toEqual(play(small))
    expect(play({ ...small, seed: 2 })).not.toEqual(play(small))
  })

  it('reports noisy rewards with the right mean, and counts the exact ones', () => {
    for (const noise of ['gaussian', 'bernoulli'] as const) {
      const rows = play({ ...small, steps: 20_000, slateSize: 1, noise })
      const reported = rows.map((row) => row.reported[0]!)
      expect(mean(reported)).toBeCloseTo(mean(rows.map(({ reward }) => reward)), 1.5)
      expect(reported).not.toEqual(rows.map(({ reward }) => reward))
      if (noise === 'bernoulli') expect(new Set(reported)).toEqual(new Set([0, 1]))
    }
  })

  it('has the same users, items and visits under every option of the choice', () => {
    const visits = (options: Partial<SynOptions>) =>
      play({ ...small, ...options }).map(({ user, slate }) => [user, slate])
    const usual = visits({})
    for (const option of [{ choiceNoise: 0.2 }, { positionBias: 1 }, { outsideUtility: 0.5 }])
      expect(visits(option)).toEqual(usual)
  })

  it('lets users choose by noise, by position, or not at all, and counts the regret', () => {
    const rewardsOf = (options: Partial<SynOptions>) =>
      play({ ...small, steps: 400, ...options }).map(({ reward }) => reward)
    const best = rewardsOf({})
    for (const option of [{ choiceNoise: 0.2 }, { positionBias: 1 }]) {
      const rewards = rewardsOf(option)
      expect(mean(rewards)).toBeLessThan(mean(best))
      rewards.forEach((reward, i) => expect(reward).toBeLessThanOrEqual(best[i]!))
    }
    expect(rewardsOf({ outsideUtility: 0.5 })).toEqual(
      best.map((reward) => (reward > 0.5 ? reward : 0)),
    )
  })

  it('can give items their vectors, whose products with the preferences are the rewards', () => {
    const world = createSyn({ ...small, vectors: 'given', slateSize: 1 })
    expect(createSyn(small)).not.toHaveProperty('warmUp')
    expect(world.vectorDimension).toBe(8)
    const [event] = world.warmUp!.events
    if (event?.kind !== 'items-put') throw new Error('expected items')
    expect(event.items.map(({ item }) => item)).toEqual(world.itemNames)
    const round = world.nextRound()!
    for (const { item, embedding } of event.items) {
      const likes = [...world.likesNow()].map((dimension) => embedding![dimension]!)
      const product = likes.reduce((sum, value) => sum + value / Math.sqrt(3), 0)
      expect(world.respond(round, [item]).reward).toBeCloseTo(product, 12)
    }
  })

  it('changes preferences half-way if they drift', () => {
    const countBestSlates = (drift: boolean) => {
      const environment = createSyn({ seed: 5, repeats: 1, steps: 400, users: 1, drift })
      const bests: string[] = []
      for (let round = environment.nextRound(); round; round = environment.nextRound()) {
        bests.push(environment.bestSlate(round).slice(0, 3).toSorted().join())
      }
      return [new Set(bests.slice(0, 200)).size, new Set(bests).size]
    }
    expect(countBestSlates(false)).toEqual([1, 1])
    expect(countBestSlates(true)).toEqual([1, 2])
  })

  it('replaces old users by new ones', () => {
    const rows = play({ ...small, users: 3, steps: 300, arrivalEvery: 10 })
    const users = new Set(rows.map(({ user }) => user))
    expect(users.size).toBeGreaterThan(25)
    for (const { user, step } of rows) {
      const first = Math.floor((step - 1) / 10)
      expect(Number(user.slice(5))).toBeGreaterThanOrEqual(first)
      expect(Number(user.slice(5))).toBeLessThan(first + 3)
    }
  })

  it('ends an interval every five rounds by default', () => {
    const environment = createSyn(small)
    const ends = Array.from({ length: 10 }, () => environment.nextRound()!.endsInterval)
    expect(ends.flatMap((end, i) => (end ? [i + 1] : []))).toEqual([5, 10])
  })

  it.each([
    { repeats: 0 },
    { steps: 0 },
    { users: 0 },
    { slateSize: 29 },
    { feedback: 'all' },
    { noise: 'loud' },
    { noiseDeviation: -1 },
    { arrivalEvery: 0.5 },
    { choiceNoise: -1 },
    { positionBias: -1 },
    { outsideUtility: Infinity },
    { vectors: 'true' },
    { learnEvery: 0 },
  ])('refuses %o', (options) => {
    expect(() => createSyn({ ...small, ...(options as object) })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})

describe('the expected best of a draw', () => {
  it('is the mean over all draws', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 7 }),
        (all) => {
          const triples = all.flatMap((a, i) =>
            all.slice(i + 1).flatMap((b, j) => all.slice(i + j + 2).map((c) => Math.max(a, b, c))),
          )
          expect(expectedBest(all, 3)).toBeCloseTo(mean(triples), 9)
          expect(expectedBest(all, 1)).toBeCloseTo(mean(all), 9)
          expect(expectedBest(all, all.length)).toBe(Math.max(...all))
        },
      ),
    )
  })
})

/** Returns the expected best reward among `count` items drawn without replacement. */
function expectedBest(rewards: readonly number[], count: number): number {
  const n = rewards.length
  const ascending = rewards.toSorted((a, b) => a - b)
  let expectation = 0
  let drawn = count / n // that the largest reward is drawn
  for (let i = n; i >= count; i--) {
    expectation += drawn * ascending[i - 1]!
    // C(i − 2, count − 1)/C(i − 1, count − 1) = (i − count)/(i − 1)
    drawn *= (i - count) / (i - 1 || 1)
  }
  return expectation
}
