import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { InteractionLog } from '../../src/core/log.ts'
import { createRandom } from '../../src/core/random.ts'
import { splitRatings } from './split.ts'

/** Every user rates every movie except the one with the same number. */
function generatedLog(userCount: number, itemCount: number): InteractionLog {
  const pairs = Array.from({ length: userCount }, (_, user) =>
    Array.from({ length: itemCount }, (__, item) => [user, item] as const).filter(
      ([, item]) => item !== user,
    ),
  ).flat()
  return {
    users: Int32Array.from(pairs, ([user]) => user),
    items: Int32Array.from(pairs, ([, item]) => item),
    rewards: new Float32Array(pairs.length).fill(1),
    times: Float64Array.from(pairs, (_, row) => row),
    userNames: Array.from({ length: userCount }, (_, user) => `u${user}`),
    itemNames: Array.from({ length: itemCount }, (_, item) => `m${item}`),
  }
}

const all = { trainingUsers: Number.POSITIVE_INFINITY, users: 100, minRatings: 1 }
const sizes = fc.record({
  seed: fc.integer({ min: 0, max: 1e6 }),
  users: fc.integer({ min: 2, max: 12 }),
  items: fc.integer({ min: 6, max: 20 }),
})

describe('splitting ratings', () => {
  it('halves users and movies, and assigns the ratings of a user to the halves', () => {
    fc.assert(
      fc.property(sizes, ({ seed, users, items }) => {
        const log = generatedLog(users, items)
        const split = splitRatings(log, all, createRandom(seed))
        expect(split.exploration).toHaveLength(Math.ceil(items / 2))
        expect([...split.exploration, ...split.holdOut].toSorted()).toEqual(
          log.itemNames.toSorted(),
        )
        expect(split.training).toHaveLength(Math.floor(users / 2))
        const names = [
          ...split.training.map(({ user }) => log.userNames[user]!),
          ...split.tested.map(({ name }) => name),
        ]
        expect(names.toSorted()).toEqual(log.userNames.toSorted())
        for (const { name, exploration, holdOut } of split.tested) {
          const unrated = name.replace('u', 'm')
          expect(exploration).toEqual(split.exploration.filter((movie) => movie !== unrated))
          expect(holdOut).toEqual(split.holdOut.filter((movie) => movie !== unrated))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('counts only the ratings that train the model', () => {
    const { training, counts } = splitRatings(generatedLog(8, 9), all, createRandom(3))
    const expected = new Float32Array(9).fill(4)
    for (const { user } of training) expected[user]! -= 1
    expect(counts).toEqual(expected)
  })

  it('tests and trains at most the given number of users', () => {
    const some = splitRatings(
      generatedLog(12, 9),
      { ...all, users: 2, trainingUsers: 3 },
      createRandom(1),
    )
    expect(some.tested).toHaveLength(2)
    expect(some.training).toHaveLength(3)
  })

  it('tests only users with enough ratings in either half, and throws if there are none', () => {
    const log = generatedLog(10, 10) // five movies a half, of which one user in two has rated four
    const { tested } = splitRatings(log, { ...all, minRatings: 4 }, createRandom(2))
    expect(tested).toHaveLength(5)
    expect(() => splitRatings(log, { ...all, minRatings: 6 }, createRandom(2))).toThrow(
      /6 ratings in each half/,
    )
  })
})
