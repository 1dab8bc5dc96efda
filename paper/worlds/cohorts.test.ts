import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/random.ts'
import { foldEvents } from '../../src/recommender/index.ts'
import type { RenEvent } from '../../src/recommender/index.ts'
import { createCohorts } from './cohorts.ts'
import type { CohortsOptions } from './cohorts.ts'
import type { Contestant, Round } from '../../src/simulation/index.ts'
import { withOracle } from '../../src/simulation/index.ts'
import { run } from '../../src/simulation/index.ts'
import type { Row } from '../../src/simulation/index.ts'

const itemNames = ['a', 'b', 'c', 'd', 'e']
const tiny: CohortsOptions = {
  seed: 1,
  itemNames,
  users: [
    { name: 'ann', items: ['a', 'b'] },
    { name: 'bob', items: ['c'] },
  ],
  cohorts: 1,
  sweeps: 2,
  slateSize: 2,
}

/** Shows the first allowed items, and records the events it receives. */
function first(names: readonly string[]): Contestant & { readonly received: RenEvent[] } {
  const received: RenEvent[] = []
  return {
    received,
    recommend: ({ count, exclude = [] }) => ({
      items: names
        .filter((item) => !exclude.includes(item))
        .slice(0, count)
        .map((item) => ({ item })),
    }),
    observe: (event) => void received.push(event),
    fineTune() {},
  }
}

const play = (options: CohortsOptions): Row[] => [
  ...run(createCohorts(options), first(options.itemNames)),
]

const roundsOf = (rows: readonly Row[], user: string) =>
  rows
    .filter((row) => row.user === user)
    .map(({ slate, reward, bestReward, chosen }) => ({ slate, reward, bestReward, chosen }))

describe('a world of cohorts', () => {
  it('rewards the share of the slate that the user chose in the data', () => {
    const rows = play(tiny)
    expect(roundsOf(rows, 'ann')).toEqual([
      { slate: ['a', 'b'], reward: 1, bestReward: 1, chosen: [0, 1] },
      { slate: ['c', 'd'], reward: 0, bestReward: 0, chosen: [] },
    ])
    expect(roundsOf(rows, 'bob')).toEqual([
      { slate: ['a', 'b'], reward: 0, bestReward: 0.5, chosen: [] },
      { slate: ['c', 'd'], reward: 0.5, bestReward: 0.5, chosen: [0] },
    ])
    expect(
      rows.every(({ reported, relevant }) => reported.every((t, i) => t === Number(relevant[i]))),
    ).toBe(true)
  })

  it('counts hits again if repeats are allowed', () => {
    const ann = roundsOf(play({ ...tiny, repeats: 'allowed' }), 'ann')
    expect(ann.map(({ reward }) => reward)).toEqual([1, 1])
  })

  it('knows how popular each item is', () => {
    const { popularity } = createCohorts(tiny)
    expect(itemNames.map((item) => popularity!(item))).toEqual([0.5, 0.5, 0.5, 0, 0])
  })

  const world = fc
    .record({
      seed: fc.integer(),
      userCount: fc.integer({ min: 1, max: 12 }),
      cohorts: fc.integer({ min: 1, max: 5 }),
      sweeps: fc.integer({ min: 1, max: 4 }),
      slateSize: fc.integer({ min: 1, max: 5 }),
      history: fc.constantFrom('hits' as const, 'organic' as const),
    })
    .map(({ userCount, ...options }) => ({ ...options, ...population(options.seed, userCount) }))

  it('shows a user no item twice, and no item of their known history', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 0, max: 3 }), (options, known) => {
        const rows = play({ ...options, known, negatives: 1 })
        for (const { name, items } of options.users) {
          const shown = rows.filter(({ user }) => user === name).flatMap(({ slate }) => slate)
          const seen = [...items.slice(0, known), ...shown]
          expect(new Set(seen).size).toBe(seen.length)
        }
      }),
    )
  })

  it('visits every user once per sweep, one cohort after another', () => {
    fc.assert(
      fc.property(world, (options) => {
        const { users, sweeps, cohorts } = options
        const visited = play(options).map(({ user }) => user)
        expect(visited).toHaveLength(users.length * sweeps)
        const bounds = Array.from({ length: cohorts + 1 }, (_, c) =>
          Math.floor((c * users.length) / cohorts),
        )
        const parts = bounds
          .slice(1)
          .map((end, c) => visited.slice(bounds[c]! * sweeps, end * sweeps))
        expect(parts.reduce((sum, part) => sum + new Set(part).size, 0)).toBe(users.length)
        for (const part of parts) {
          for (const user of part) expect(part.filter((u) => u === user)).toHaveLength(sweeps)
        }
      }),
    )
  })

  it('gives the oracle the maximum reward, and no contestant more', () => {
    fc.assert(
      fc.property(world, (options) => {
        const { environment, oracle } = withOracle(createCohorts(options))
        for (const row of run(environment, oracle)) expect(row.reward).toBe(row.bestReward)
        for (const row of play(options)) expect(row.reward).toBeLessThanOrEqual(row.bestReward)
      }),
    )
  })

  it('depends only on the seed', () => {
    const options = { ...tiny, ...population(3, 12), sweeps: 1 }
    expect(play(options)).toEqual(play(options))
    const order = (seed: number) => play({ ...options, seed }).map(({ user }) => user)
    expect(order(1)).not.toEqual(order(2))
  })

  it('draws a sample of users', () => {
    const rows = play({ ...tiny, ...population(3, 12), sample: 5 })
    expect(new Set(rows.map(({ user }) => user)).size).toBe(5)
  })

  it('adds the interactions of the data to an organic history', () => {
    const contestant = first(itemNames)
    const users = [{ name: 'ann', items: ['b', 'e', 'd'] }]
    const options = { ...tiny, users, history: 'organic', sweeps: 2, slateSize: 1 } as const
    const rows = [...run(createCohorts(options), contestant)]
    expect(contestant.received).toEqual([
      { kind: 'recommendation', user: 'ann', items: [{ item: 'a', reward: 0 }], time: 1 },
      { kind: 'interaction', user: 'ann', item: 'b', reward: 1, time: 2, teaches: false },
      { kind: 'recommendation', user: 'ann', items: [{ item: 'c', reward: 0 }], time: 2 },
    ])
    expect(rows.map(({ relevantCount }) => relevantCount)).toEqual([3, 2])
  })

  it('never shows items of an organic history, even if repeats are allowed', () => {
    const users = [{ name: 'ann', items: ['a', 'b'] }]
    const organic = {
      users,
      history: 'organic',
      repeats: 'allowed',
      sweeps: 3,
      slateSize: 1,
    } as const
    expect(play({ ...tiny, ...organic }).map(({ slate }) => slate[0])).toEqual(['a', 'b', 'c'])
    const { exclude } = secondRound({ ...tiny, ...organic, users: [{ name: 'ann', items: ['b'] }] })
    expect(exclude).toEqual(['b'])
  })

  it('starts with the first items of each user, each with negatives at the same moment', () => {
    const options = { ...tiny, known: 1, negatives: 2, epochs: 20 }
    const { warmUp } = createCohorts(options)
    expect(warmUp!.fineTunes).toBe(2)
    const { impressions, users } = foldEvents(itemNames, warmUp!.events)
    expect([...impressions]).toEqual([1, 0, 1, 0, 0])
    const ann = users.get('ann')!
    expect([...ann.history.columns().items]).toEqual([0])
    const { after, rewards, items } = ann.impressions.columns()
    expect([...after]).toEqual([0, 0, 0])
    expect([...rewards]).toEqual([1, 0, 0])
    expect(new Set(items).size).toBe(3)
    expect(roundsOf(play(options), 'ann')[0]).toMatchObject({ slate: ['b', 'c'], reward: 0.5 })
  })

  it.each([
    [{ cohorts: 0 }, 'cohorts must be an integer of at least 1, got 0'],
    [{ sample: 3 }, 'sample must be an integer from 1 to 2, got 3'],
    [{ slateSize: 6 }, 'slateSize must be an integer from 1 to 5, got 6'],
    [{ known: 2 }, 'known must be an integer from 0 to 1, got 2'],
    [{ known: 1, negatives: 5 }, 'negatives must be an integer from 0 to 4, got 5'],
    [{ repeats: 'once' }, 'repeats must be never or allowed, got "once"'],
  ])('refuses %j', (wrong, message) => {
    expect(() => createCohorts({ ...tiny, ...(wrong as Partial<CohortsOptions>) })).toThrow(message)
  })
})

/** The second round, after the first showed a. */
function secondRound(options: CohortsOptions): Round {
  const world = createCohorts(options)
  world.respond(world.nextRound()!, ['a'])
  return world.nextRound()!
}

/** Users with three items or more out of 40. */
function population(seed: number, userCount: number) {
  const random = createRandom(seed).fork('population')
  const names = Array.from({ length: 40 }, (_, k) => `item ${k}`)
  return {
    itemNames: names,
    users: Array.from({ length: userCount }, (_, u) => ({
      name: `user ${u}`,
      items: Array.from(random.choose(3 + random.integer(10), 40), (k) => names[k]!),
    })),
  }
}
