import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortLog } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { clickRate, createCounter } from './counters.ts'
import { withOracle } from './environment.ts'
import { createRatings } from './ratings.ts'
import type { RatingsOptions } from './ratings.ts'
import { run } from './run.ts'

type Rating = readonly [user: string, item: string, rating: number]

function logOf(ratings: readonly Rating[]): InteractionLog {
  const userNames = [...new Set(ratings.map(([user]) => user))]
  const itemNames = [...new Set(ratings.map(([, item]) => item))]
  return sortLog({
    users: Int32Array.from(ratings, ([user]) => userNames.indexOf(user)),
    items: Int32Array.from(ratings, ([, item]) => itemNames.indexOf(item)),
    rewards: Float32Array.from(ratings, ([, , rating]) => rating),
    times: Float64Array.from(ratings.keys()),
    userNames,
    itemNames,
  })
}

const log = logOf([
  ['ann', 'x', 1],
  ['ann', 'y', 5],
  ['ann', 'z', 4],
  ['bob', 'x', 3],
  ['bob', 'y', 3],
])

const worldOf = (more: Partial<RatingsOptions> = {}) =>
  createRatings({ seed: 1, log, steps: 40, slateSize: 2, ...more })

/** The first round of a user, answered with a slate. */
function answer(user: string, slate: readonly string[], more: Partial<RatingsOptions> = {}) {
  const world = worldOf(more)
  for (let round = world.nextRound(); round !== null; round = world.nextRound()) {
    if (round.user === user) return { round, outcome: world.respond(round, slate) }
  }
  throw new Error(`${user} never came`)
}

describe('a world of ratings', () => {
  it('scales ratings to 0..1, and the user chooses the best shown item', () => {
    const { round, outcome } = answer('ann', ['x', 'z'])
    expect(round).not.toHaveProperty('candidates')
    expect(outcome).toEqual({
      reward: 0.75,
      bestReward: 1,
      reported: [null, 0.75],
      taken: [1],
      relevant: [false, false],
      relevantCount: 1,
    })
  })

  it('reports the rewards of all shown items on request', () => {
    expect(answer('ann', ['y', 'x'], { feedback: 'shown' }).outcome.reported).toEqual([1, 0])
  })

  it('offers only items that the user has rated', () => {
    expect(answer('bob', ['x', 'y']).round.candidates).toEqual(['x', 'y'])
    expect(answer('bob', ['x', 'y'], { slateSize: 3 }).round.count).toBe(2)
  })

  it('breaks ties at random', () => {
    const taken = Array.from(
      { length: 30 },
      (_, seed) => answer('bob', ['x', 'y'], { seed }).outcome.taken[0],
    )
    expect(new Set(taken)).toEqual(new Set([0, 1]))
  })

  it('knows the mean rating of an item', () => {
    const { popularity } = worldOf()
    expect(['x', 'y', 'z', 'w'].map((item) => popularity!(item))).toEqual([0.25, 0.75, 0.75, 0])
  })

  it('uses the later of two ratings of one item', () => {
    const twice = logOf([
      ['ann', 'x', 1],
      ['ann', 'y', 2],
      ['ann', 'x', 3],
    ])
    expect(answer('ann', ['x'], { log: twice }).outcome).toMatchObject({ reward: 1, bestReward: 1 })
  })

  it('gives the oracle the maximum reward, and depends only on the seed', () => {
    const table = fc.uniqueArray(
      fc.tuple(
        fc.constantFrom('ann', 'bob', 'cyd'),
        fc.constantFrom('x', 'y', 'z', 'w'),
        fc.integer({ min: 1, max: 5 }),
      ),
      { minLength: 4, selector: ([user, item]) => `${user} ${item}` },
    )
    fc.assert(
      fc.property(table, fc.integer(), (ratings, seed) => {
        fc.pre(new Set(ratings.map(([, , rating]) => rating)).size > 1)
        const options = { log: logOf(ratings), seed }
        const { environment, oracle } = withOracle(worldOf(options))
        for (const { reward, bestReward } of run(environment, oracle))
          expect(reward).toBe(bestReward)
        const play = () => {
          const world = worldOf(options)
          const counter = createCounter({ itemNames: world.itemNames, seed, rule: clickRate() })
          return [...run(world, counter)]
        }
        const rows = play()
        expect(play()).toEqual(rows)
        for (const { reward, bestReward } of rows) expect(reward).toBeLessThanOrEqual(bestReward)
      }),
    )
  })

  it('refuses a table without two different ratings', () => {
    expect(() => worldOf({ log: logOf([['ann', 'x', 3]]) })).toThrow(
      'at least two different ratings',
    )
  })

  it('refuses invalid settings', () => {
    expect(() => worldOf({ steps: 0 })).toThrow('ratings.steps must be an integer')
    expect(() => worldOf({ feedback: 'all' as 'shown' })).toThrow(
      'feedback must be selected or shown',
    )
  })
})
