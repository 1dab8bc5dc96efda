import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { byUser, filterRows, sortLog } from './log.ts'
import type { InteractionLog } from './log.ts'

type Event = readonly [user: number, item: number, time: number]

function logOf(events: readonly Event[]): InteractionLog {
  return {
    users: Int32Array.from(events, ([user]) => user),
    items: Int32Array.from(events, ([, item]) => item),
    rewards: Float32Array.from(events, (_, row) => row),
    times: Float64Array.from(events, ([, , time]) => time),
    periods: Int32Array.from(events, (_, row) => row * 2),
    userNames: ['a', 'b', 'c', 'd'],
    itemNames: ['x', 'y', 'z'],
  }
}

describe('an interaction log', () => {
  it('sorts all columns by user, then time, then original order', () => {
    const log = sortLog(
      logOf([
        [2, 0, 5],
        [0, 1, 9],
        [2, 1, 4],
        [0, 2, 9],
        [2, 2, 5],
      ]),
    )
    expect([...log.users]).toEqual([0, 0, 2, 2, 2])
    expect([...log.items]).toEqual([1, 2, 1, 0, 2])
    expect([...log.times]).toEqual([9, 9, 4, 5, 5])
    expect([...log.rewards]).toEqual([1, 3, 2, 0, 4])
    expect([...log.periods!]).toEqual([2, 6, 4, 0, 8])
  })

  it('sorts any rows as the definition says', () => {
    const event = fc.tuple(fc.nat(3), fc.nat(2), fc.integer({ min: -3, max: 3 }))
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const expected = events
          .map(([user, , time], row) => ({ user, time, row }))
          .toSorted((a, b) => a.user - b.user || a.time - b.time || a.row - b.row)
        expect([...sortLog(logOf(events)).rewards]).toEqual(expected.map(({ row }) => row))
      }),
    )
  })

  it('splits into one sequence per user with rows', () => {
    const sequences = byUser(
      sortLog(
        logOf([
          [3, 0, 1],
          [1, 1, 1],
          [3, 2, 0],
        ]),
      ),
    )
    expect(sequences.map(({ user, items }) => [user, ...items])).toEqual([
      [1, 1],
      [3, 2, 0],
    ])
    expect(byUser(logOf([]))).toEqual([])
  })

  it('refuses to be split while its users are out of order', () => {
    const log = logOf([
      [1, 0, 0],
      [0, 0, 0],
    ])
    expect(() => byUser(log)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it('retains the chosen rows and all names', () => {
    const log = logOf([
      [0, 0, 0],
      [1, 1, 1],
      [2, 2, 2],
    ])
    const selected = filterRows(log, (row) => row !== 1)
    expect([...selected.users]).toEqual([0, 2])
    expect([...selected.periods!]).toEqual([0, 4])
    expect(selected.itemNames).toBe(log.itemNames)
  })
})
