import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { InteractionLog } from '../core/log.ts'
import { createItemKnn, createPopularity, createSessionKnn } from './baselines.ts'
import type { Scorer } from './next-item.ts'

/** A log of sessions over 5 items, in order of time: the last session is the most recent. */
function logOf(sessions: readonly (readonly number[])[]): InteractionLog {
  const rows = sessions.flatMap((items, user) => items.map((item) => ({ user, item })))
  return {
    users: Int32Array.from(rows, ({ user }) => user),
    items: Int32Array.from(rows, ({ item }) => item),
    rewards: new Float32Array(rows.length).fill(1),
    times: Float64Array.from(rows.keys()),
    userNames: sessions.map((_, user) => `session ${user}`),
    itemNames: ['a', 'b', 'c', 'd', 'e'],
  }
}

function scoresOf(scorer: Scorer, history: readonly number[]): number[] {
  const out = new Float32Array(scorer.itemCount).fill(99)
  scorer.score(Int32Array.from(history), out)
  return [...out]
}

function expectClose(got: readonly number[], expected: readonly number[]): void {
  expect(got).toHaveLength(expected.length)
  for (const [item, value] of expected.entries()) expect(got[item]).toBeCloseTo(value, 5)
}

const anySessions = fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }), { maxLength: 12 })
const anyHistory = fc.array(fc.nat(4), { minLength: 1, maxLength: 5 })

function sharedCount(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  return a.intersection(b).size
}

describe('popularity', () => {
  it('scores by the number of interactions, whatever the history', () => {
    const popularity = createPopularity(
      logOf([
        [0, 1, 1],
        [1, 3],
      ]),
    )
    expect(scoresOf(popularity, [2])).toEqual([1, 3, 0, 1, 0])
    expect(scoresOf(popularity, [])).toEqual([1, 3, 0, 1, 0])
  })
})

describe('item-kNN', () => {
  const log = logOf([[0, 1, 0], [1, 0], [0, 2], [1]])

  it('scores by the cosine with the last item over sessions', () => {
    // n_a = 3, n_b = 3, n_c = 1; a and b share 2 sessions, a and c 1.
    const knn = createItemKnn(log)
    expectClose(scoresOf(knn, [2, 0]), [0, 2 / 3, 1 / Math.sqrt(3), 0, 0])
    expectClose(scoresOf(knn, [0, 2]), [1 / Math.sqrt(3), 0, 0, 0, 0])
    expectClose(scoresOf(knn, [2, 0]), [0, 2 / 3, 1 / Math.sqrt(3), 0, 0])
  })

  it('shrinks similarities of rare neighbors by its regularization', () => {
    const knn = createItemKnn(log, { regularization: 1 })
    expectClose(scoresOf(knn, [0]), [0, 2 / 4, 1 / Math.sqrt(4 * 2), 0, 0])
  })

  it('scores 0 after no item or an unseen item', () => {
    expect(scoresOf(createItemKnn(log), [])).toEqual([0, 0, 0, 0, 0])
    expect(scoresOf(createItemKnn(log), [4])).toEqual([0, 0, 0, 0, 0])
  })

  it('equals its definition on any sessions', () => {
    fc.assert(
      fc.property(anySessions, anyHistory, fc.nat(3), (sessions, history, regularization) => {
        const holders = [0, 1, 2, 3, 4].map(
          (item) => new Set([...sessions.keys()].filter((at) => sessions[at]!.includes(item))),
        )
        const last = holders[history[history.length - 1]!]!
        const expected = holders.map((other) => {
          const shared = other === last ? 0 : sharedCount(last, other)
          const support = (last.size + regularization) * (other.size + regularization)
          return shared === 0 ? 0 : shared / Math.sqrt(support)
        })
        expectClose(scoresOf(createItemKnn(logOf(sessions), { regularization }), history), expected)
      }),
    )
  })

  it('refuses a regularization below 0', () => {
    expect(() => createItemKnn(log, { regularization: -1 })).toThrow('at least 0')
  })
})

describe('session-kNN', () => {
  const log = logOf([
    [0, 1],
    [2, 0, 0],
    [1, 2, 3],
  ])
  const third = 1 / Math.sqrt(2 * 3)

  it('sums the cosines of the sessions that contain an item', () => {
    // For {a, b} the cosines are 1, 1/2 and 1/√6.
    const expected = [1 + 1 / 2, 1 + third, 1 / 2 + third, third, 0]
    expectClose(scoresOf(createSessionKnn(log), [0, 1, 1]), expected)
  })

  it('uses only the nearest sessions, with ties to the most recent', () => {
    const knn = createSessionKnn(log, { neighbors: 1 })
    expectClose(scoresOf(knn, [0, 1]), [1, 1, 0, 0, 0])
    expectClose(scoresOf(knn, [0]), [1 / Math.SQRT2, 0, 1 / Math.SQRT2, 0, 0])
  })

  it('samples only the most recent sessions that share an item', () => {
    const knn = createSessionKnn(log, { sample: 1 })
    expectClose(scoresOf(knn, [0, 1]), [0, third, third, third, 0])
    expectClose(scoresOf(knn, [0]), [1 / Math.SQRT2, 0, 1 / Math.SQRT2, 0, 0])
  })

  it('orders sessions by time, not by their position in the log', () => {
    const times = log.times.map((_, row) => 10 - log.users[row]!)
    const knn = createSessionKnn({ ...log, times }, { sample: 1 })
    expectClose(scoresOf(knn, [0, 1]), [1, 1, 0, 0, 0])
  })

  it('equals its definition on any sessions', () => {
    const few = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(anySessions, anyHistory, few, few, (sessions, history, neighbors, sample) => {
        const current = new Set(history)
        const nearest = sessions
          .map((items, at) => ({ items: new Set(items), at }))
          .filter(({ items }) => sharedCount(current, items) > 0)
          .slice(-sample)
          .map(({ items, at }) => {
            const cosine = sharedCount(current, items) / Math.sqrt(current.size * items.size)
            return { items, at, cosine }
          })
          .toSorted((a, b) => b.cosine - a.cosine || b.at - a.at)
          .slice(0, neighbors)
        const expected = [0, 1, 2, 3, 4].map((item) =>
          nearest.reduce((sum, { items, cosine }) => sum + (items.has(item) ? cosine : 0), 0),
        )
        const knn = createSessionKnn(logOf(sessions), { neighbors, sample })
        expectClose(scoresOf(knn, history), expected)
        expectClose(scoresOf(knn, history), expected)
      }),
    )
  })

  it('refuses 0 neighbors and an empty sample', () => {
    expect(() => createSessionKnn(log, { neighbors: 0 })).toThrow('at least 1')
    expect(() => createSessionKnn(log, { sample: 0 })).toThrow('at least 1')
  })
})
