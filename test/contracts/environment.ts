// The contract of worlds, for any method.

import { expect, it } from 'vitest'
import { createRandom } from 'ren-recommender'
import { run, withOracle } from 'ren-recommender/simulation'
import type { Contestant, Environment, Row } from 'ren-recommender/simulation'

/** Shows random allowed items. */
function chance({ itemNames }: Environment, seed: number): Contestant {
  const random = createRandom(seed)
  return {
    recommend({ count, candidates = itemNames, exclude = [] }) {
      const left = [...new Set(candidates)].filter((item) => !exclude.includes(item))
      random.shuffle(left)
      return { items: left.slice(0, count).map((item) => ({ item })) }
    },
    observe() {},
    fineTune() {},
  }
}

function play(environment: Environment, seed = 1): Row[] {
  return [...run(environment, chance(environment, seed))]
}

/** `create` returns the same world each time. */
export function describeEnvironment(create: () => Environment): void {
  it('sends as many requests as it has steps, numbered from 1', () => {
    const environment = create()
    const rows = play(environment)
    expect(rows.map(({ step }) => step)).toEqual(
      Array.from({ length: environment.steps }, (_, i) => i + 1),
    )
    expect(environment.nextRound()).toBeNull()
  })

  it('fine-tunes after the warm-up and at the ends of intervals, at most once per round', () => {
    const environment = create()
    let learned = 0
    const contestant = { ...chance(environment, 1), fineTune: () => void (learned += 1) }
    const rounds = [...run(environment, contestant)].length
    const online = learned - (environment.warmUp?.fineTunes ?? 0)
    expect(online).toBeGreaterThan(0)
    expect(online).toBeLessThanOrEqual(rounds)
  })

  it('has distinct item names', () => {
    const { itemNames } = create()
    expect(new Set(itemNames).size).toBe(itemNames.length)
  })

  it('returns a reward per slot, and reports every chosen item', () => {
    for (const { slate, reported, relevant, chosen, relevantCount } of play(create())) {
      expect(reported).toHaveLength(slate.length)
      expect(relevant).toHaveLength(slate.length)
      expect(relevant.filter(Boolean).length).toBeLessThanOrEqual(relevantCount)
      for (const slot of chosen) expect(reported[slot]).not.toBeNull()
      expect(new Set(chosen).size).toBe(chosen.length)
    }
  })

  it('has no slate with a higher reward than the best slate, which the oracle shows in every round', () => {
    for (const { reward, bestReward } of play(create())) {
      expect(reward).toBeLessThanOrEqual(bestReward + 1e-12)
    }
    const { environment, oracle } = withOracle(create())
    for (const { reward, bestReward } of run(environment, oracle)) {
      expect(reward).toBeCloseTo(bestReward, 9)
    }
  })

  it('is the same world each time, independent of earlier slates', () => {
    expect(play(create())).toEqual(play(create()))
    const users = (seed: number) => play(create(), seed).map(({ user }) => user)
    expect(users(1)).toEqual(users(2))
  })
}
