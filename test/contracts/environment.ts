// What every world keeps to, whoever plays in it.

import { expect, it } from 'vitest'
import { createRandom } from 'ren-recommender'
import { run, withOracle } from 'ren-recommender/simulation'
import type { Contestant, Environment, Row } from 'ren-recommender/simulation'

/** Shows what it may at random. */
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

/** `create` makes the same world each time. */
export function describeEnvironment(create: () => Environment): void {
  it('asks as many questions as it says, counted from 1, and then no more', () => {
    const environment = create()
    const rows = play(environment)
    expect(rows.map(({ step }) => step)).toEqual(
      Array.from({ length: environment.steps }, (_, i) => i + 1),
    )
    expect(environment.nextRound()).toBeNull()
  })

  it('lets one learn after the warm-up and at the ends of intervals, at most once a round', () => {
    const environment = create()
    let learnt = 0
    const contestant = { ...chance(environment, 1), fineTune: () => void (learnt += 1) }
    const rounds = [...run(environment, contestant)].length
    const online = learnt - (environment.warmUp?.fineTunes ?? 0)
    expect(online).toBeGreaterThan(0)
    expect(online).toBeLessThanOrEqual(rounds)
  })

  it('knows its items by distinct names', () => {
    const { itemNames } = create()
    expect(new Set(itemNames).size).toBe(itemNames.length)
  })

  it('answers slot by slot, and tells of whatever was taken', () => {
    for (const { slate, reported, relevant, taken, relevantCount } of play(create())) {
      expect(reported).toHaveLength(slate.length)
      expect(relevant).toHaveLength(slate.length)
      expect(relevant.filter(Boolean).length).toBeLessThanOrEqual(relevantCount)
      for (const slot of taken) expect(reported[slot]).not.toBeNull()
      expect(new Set(taken).size).toBe(taken.length)
    }
  })

  it('is worth no more than the best slate, which the oracle shows in every round', () => {
    for (const { reward, bestReward } of play(create())) {
      expect(reward).toBeLessThanOrEqual(bestReward + 1e-12)
    }
    const { environment, oracle } = withOracle(create())
    for (const { reward, bestReward } of run(environment, oracle)) {
      expect(reward).toBeCloseTo(bestReward, 9)
    }
  })

  it('is the same world each time, whatever was shown before', () => {
    expect(play(create())).toEqual(play(create()))
    const users = (seed: number) => play(create(), seed).map(({ user }) => user)
    expect(users(1)).toEqual(users(2))
  })
}
