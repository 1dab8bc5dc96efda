import { describe, expect, it } from 'vitest'

import type { ItemPut, RenEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import { mean } from '../core/statistics.ts'
import { createColdContent } from './cold-content.ts'
import { run } from './run.ts'
import { synRewards } from './syn.ts'

const putsIn = (events: readonly RenEvent[] = []): readonly ItemPut[] =>
  events.flatMap((event) => (event.kind === 'items-put' ? event.items : []))

/** The mean reward of random slates. */
function playRandomly(options: object, seed = 1) {
  const world = createColdContent({ seed, ...options })
  const random = createRandom(seed)
  const rows = run(world, {
    recommend: ({ count, candidates = [] }) => ({
      items: Array.from(random.choose(count, candidates.length), (k) => ({ item: candidates[k]! })),
    }),
    observe() {},
    fineTune() {},
  })
  return [...rows]
}

describe('the world of cold content', () => {
  it('replaces the oldest item by a new one, with its vector, in each round', () => {
    const world = createColdContent({ seed: 1, steps: 50 })
    const joined = putsIn(world.warmUp!.events).map(({ item }) => item)
    expect(world.itemNames).toHaveLength(349)
    for (let round = world.nextRound(); round; round = world.nextRound()) {
      const puts = putsIn(round.newEvents)
      expect(puts).toHaveLength(round.step === 1 ? 0 : 1)
      joined.push(...puts.map(({ item }) => item))
      expect(round.candidates).toEqual(joined.slice(-300))
    }
    expect(joined).toEqual(world.itemNames)
  })

  it('gives items two of eight dimensions as a unit vector', () => {
    const puts = putsIn(createColdContent({ seed: 1 }).warmUp!.events)
    for (const { embedding } of puts) {
      expect(embedding!.filter((value) => value === Math.SQRT1_2)).toHaveLength(2)
      expect(embedding!.filter((value) => value === 0)).toHaveLength(6)
    }
    expect(new Set(puts.map(({ embedding }) => embedding!.join())).size).toBe(28)
  })

  it('gives random slates the mean reward of SYN times the mean appeal', () => {
    // By enumeration: the mean of the 28 rewards, 0.3062, times 0.75.
    const steps = 1500
    const rewards = playRandomly({ steps }).map(({ reward }) => reward)
    const known = mean(synRewards()) * 0.75
    expect(known).toBeCloseTo(0.2296, 4)
    const deviation = Math.sqrt(mean(rewards.map((reward) => (reward - known) ** 2)))
    // Items live for 300 rounds, so that slates of successive rounds are not independent.
    expect(Math.abs(mean(rewards) - known)).toBeLessThan((8 * deviation) / Math.sqrt(steps))
  })

  it('reports clicks whose mean is the reward', () => {
    const rows = playRandomly({ steps: 4000, users: 3 })
    const clicks = rows.flatMap(({ reported }) => reported as number[])
    expect(new Set(clicks)).toEqual(new Set([0, 1]))
    const error = Math.sqrt(0.25 / clicks.length)
    const rewards = rows.map(({ reward }) => reward)
    expect(Math.abs(mean(clicks) - mean(rewards))).toBeLessThan(4 * error)
    for (const { chosen, reported } of rows)
      expect(chosen).toEqual([...reported.keys()].filter((slot) => reported[slot] === 1))
  })

  it('has, with equal appeals, the best slate of SYN', () => {
    for (const { bestReward, relevantCount } of playRandomly({ minAppeal: 1, steps: 40 })) {
      expect(bestReward).toBeCloseTo(2 / Math.sqrt(6), 12)
      expect(relevantCount).toBe(10)
    }
  })

  it('has no relevant item without a chance', () => {
    const rows = playRandomly({ liveItems: 2, slateSize: 2, steps: 200 })
    expect(rows.some(({ relevantCount }) => relevantCount < 2)).toBe(true)
    for (const { relevant, relevantCount } of rows)
      expect(relevant.filter(Boolean)).toHaveLength(relevantCount)
  })

  it.each([
    { users: 0 },
    { liveItems: 9 },
    { minAppeal: 2 },
    { slateSize: 301 },
    { steps: 0 },
    { learnEvery: 0 },
  ])('refuses %o', (options) => {
    expect(() => createColdContent({ seed: 1, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
