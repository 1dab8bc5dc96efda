import { existsSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { byUser, sortLog } from '../core/log.ts'
import type { InteractionLog, TestSequence } from '../core/log.ts'
import { readDataset } from './published.ts'
import { leaveOneOut, splitByPeriod, splitByTime, timeAtFraction } from './splits.ts'

type Event = readonly [user: number, item: number, time: number]

/** A log of these events; the period of a row is its time. */
function logOf(events: readonly Event[]): InteractionLog {
  const times = Float64Array.from(events, ([, , time]) => time)
  return sortLog({
    users: Int32Array.from(events, ([user]) => user),
    items: Int32Array.from(events, ([, item]) => item),
    rewards: new Float32Array(events.length).fill(1),
    times,
    periods: Int32Array.from(times),
    userNames: Array.from({ length: 9 }, (_, user) => `user ${user}`),
    itemNames: Array.from({ length: 9 }, (_, item) => `item ${item}`),
  })
}

/** `user: history > targets` */
function wordsOf(sequences: readonly TestSequence[]): string[] {
  return sequences.map(({ user, items, firstTarget }) => {
    const [history, targets] = [items.subarray(0, firstTarget), items.subarray(firstTarget)]
    return `${user}: ${history.join(' ')} > ${targets.join(' ')}`
  })
}

const anyLog = fc.array(fc.tuple(fc.nat(4), fc.nat(5), fc.nat(9)), { maxLength: 40 }).map(logOf)

describe('leaveOneOut', () => {
  it('tests on the last item, validates on the one before, trains on the rest', () => {
    const { train, validation, test } = leaveOneOut(
      logOf([
        [0, 1, 0],
        [0, 2, 1],
        [0, 3, 2],
        [0, 1, 3],
        [1, 3, 0],
        [1, 2, 1],
        [2, 2, 0],
        [2, 3, 1],
        [2, 1, 2],
      ]),
    )
    // User 1 is too short to give up two rows, so trains with both.
    expect([...train.users]).toEqual([0, 0, 1, 1, 2])
    expect([...train.items]).toEqual([1, 2, 3, 2, 2])
    expect(wordsOf(validation.sequences)).toEqual(['0: 1 2 > 3', '2: 2 > 3'])
    expect(wordsOf(test.sequences)).toEqual(['0: 1 2 3 > 1', '2: 2 3 > 1'])
    expect(test.dropped).toEqual({ unseenItems: 0, withoutTarget: 0 })
  })

  it('drops and counts items that are not in training, and never moves the target', () => {
    const { validation, test } = leaveOneOut(
      logOf([
        [0, 1, 0],
        [0, 7, 1],
        [0, 1, 2],
        [1, 1, 0],
        [1, 1, 1],
        [1, 8, 2],
      ]),
    )
    expect(wordsOf(validation.sequences)).toEqual(['1: 1 > 1'])
    expect(validation.dropped).toEqual({ unseenItems: 1, withoutTarget: 1 })
    expect(wordsOf(test.sequences)).toEqual(['0: 1 > 1'])
    expect(test.dropped).toEqual({ unseenItems: 2, withoutTarget: 1 })
  })

  it('assigns every row and gives each sequence one target', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const { train, test } = leaveOneOut(log)
        const long = byUser(log).filter(({ items }) => items.length >= 3).length
        expect(train.users.length + 2 * long).toBe(log.users.length)
        expect(test.sequences.length + test.dropped.withoutTarget).toBe(long)
        for (const { items, firstTarget } of test.sequences) {
          expect(firstTarget).toBe(items.length - 1)
        }
      }),
    )
  })
})

describe('splitByTime', () => {
  const log = logOf([
    [0, 1, 0],
    [0, 2, 4],
    [0, 1, 5],
    [0, 2, 6],
    [1, 1, 5],
    [1, 2, 7],
    [1, 6, 8],
    [2, 1, 9],
    [3, 2, 1],
  ])

  it('predicts the rows after the boundary from all rows before it', () => {
    const { train, test } = splitByTime(log, 5)
    expect([...train.items]).toEqual([1, 2, 2])
    expect(wordsOf(test.sequences)).toEqual(['0: 1 2 > 1 2', '1: 1 > 2'])
    expect(test.dropped).toEqual({ unseenItems: 1, withoutTarget: 1 })
  })

  it('splits at the requested fraction of rows', () => {
    expect(timeAtFraction(log, 0.25)).toBe(4)
    expect(timeAtFraction(log, 0)).toBe(0)
    expect(splitByTime(log, timeAtFraction(log, 1)).train.users).toHaveLength(9)
  })

  it('never tests on unseen items or trains after the boundary', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(9), (any, boundary) => {
        const { train, test } = splitByTime(any, boundary)
        const known = new Set(train.items)
        expect(train.times.every((time) => time < boundary)).toBe(true)
        for (const { items, times, firstTarget } of test.sequences) {
          expect(items.every((item) => known.has(item))).toBe(true)
          expect(times.subarray(firstTarget).every((time) => time >= boundary)).toBe(true)
          expect(firstTarget).toBeGreaterThan(0)
        }
      }),
    )
  })
})

describe('splitByPeriod', () => {
  it('trains on earlier periods, tests on the period and ignores later ones', () => {
    const log = logOf([
      [0, 1, 0],
      [0, 2, 1],
      [1, 1, 2],
      [1, 2, 2],
      [1, 2, 2],
      [2, 2, 3],
    ])
    const { train, test } = splitByPeriod(log, 2)
    expect([...train.items]).toEqual([1, 2])
    expect(wordsOf(test.sequences)).toEqual(['1: 1 > 2 2'])
  })

  it('requires periods that do not decrease over time', () => {
    const log = logOf([
      [0, 1, 0],
      [0, 2, 1],
    ])
    const { periods: _, ...without } = log
    const falling = { ...log, periods: Int32Array.of(1, 0) }
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    expect(() => splitByPeriod(without, 1)).toThrow(invalid)
    expect(() => splitByPeriod(falling, 1)).toThrow(invalid)
  })
})

const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')

describe('the usual protocols on published data', () => {
  it.skipIf(!existsSync(join(data, 'ml-1m')))('leave one item of each ML-1M user out', async () => {
    const { log } = await readDataset('movielens-1m-sequences', data)
    const { train, test } = leaveOneOut(log)
    expect(train.users).toHaveLength(999_611 - 2 * 6040)
    expect(test.sequences).toHaveLength(6040)
    expect(test.dropped).toEqual({ unseenItems: 0, withoutTarget: 0 })
  })

  it.skipIf(!existsSync(join(data, 'diginetica')))(
    'test on the last of the 17 Diginetica periods',
    async () => {
      const { log } = await readDataset('diginetica', data)
      const { train, test } = splitByPeriod(log, 16)
      const targets = test.sequences.map(({ items, firstTarget }) => items.length - firstTarget)
      expect(train.users).toHaveLength(993_483 - 77_065)
      expect(targets.reduce((sum, count) => sum + count, 0)).toBe(60_882)
    },
  )
})
