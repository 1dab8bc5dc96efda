import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { clickFlags, historyBefore, shownItems, sortImpressions } from './impression-log.ts'
import type { IndexLists } from '../../src/core/log.ts'
import type { ImpressionLog } from './impression-log.ts'

interface Impression {
  readonly user: number
  readonly time: number
  readonly shown: readonly (readonly [item: number, clicked: number])[]
  readonly history: readonly number[]
}

const item = fc.nat(9)
const impression: fc.Arbitrary<Impression> = fc.record({
  user: fc.nat(3),
  time: fc.nat(5),
  shown: fc.array(fc.tuple(item, fc.nat(1)), { maxLength: 4 }),
  history: fc.array(item, { maxLength: 3 }),
})

function listsOf(lists: readonly (readonly number[])[]): IndexLists {
  const offsets = new Int32Array(lists.length + 1)
  lists.forEach(({ length }, at) => (offsets[at + 1] = offsets[at]! + length))
  return { offsets, values: Int32Array.from(lists.flat()) }
}

function logOf(impressions: readonly Impression[]): ImpressionLog {
  return {
    users: Int32Array.from(impressions, ({ user }) => user),
    times: Float64Array.from(impressions, ({ time }) => time),
    shown: listsOf(impressions.map(({ shown }) => shown.map(([index]) => index))),
    clicked: Uint8Array.from(impressions.flatMap(({ shown }) => shown.map(([, flag]) => flag))),
    histories: listsOf(impressions.map(({ history }) => history)),
    userNames: ['a', 'b', 'c', 'd'],
    itemNames: Array.from({ length: 10 }, (_, index) => String(index)),
  }
}

function impressionsOf(log: ImpressionLog): Impression[] {
  return [...log.users].map((user, row) => {
    const flags = clickFlags(log, row)
    return {
      user,
      time: log.times[row]!,
      shown: [...shownItems(log, row)].map((index, at) => [index, flags[at]!] as const),
      history: [...historyBefore(log, row)],
    }
  })
}

describe('an impression log', () => {
  it('sorts by time, stably, and moves each list together with its clicks', () => {
    fc.assert(
      fc.property(fc.array(impression, { maxLength: 12 }), (impressions) => {
        const sorted = sortImpressions(logOf(impressions))
        expect(impressionsOf(sorted)).toEqual(impressions.toSorted((a, b) => a.time - b.time))
      }),
    )
  })

  it('returns views, not copies', () => {
    const log = logOf([{ user: 0, time: 0, shown: [[3, 1]], history: [4] }])
    expect(shownItems(log, 0).buffer).toBe(log.shown.values.buffer)
    expect(clickFlags(log, 0).buffer).toBe(log.clicked.buffer)
    expect(historyBefore(log, 0).buffer).toBe(log.histories.values.buffer)
  })
})
