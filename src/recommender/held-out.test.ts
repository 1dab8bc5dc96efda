import { describe, expect, it } from 'vitest'

import { firstItems } from '../../test/random-events.ts'
import { seen, slate, chosen, chosenFrom } from '../../test/state-events.ts'
import type { RenEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import { holdOutLatest, packHistories, unpackHistories } from './held-out.ts'
import { foldEvents } from './state.ts'

/** Histories of 51 items, the last few of which repeat the first one. */
const histories = (repeats: number) =>
  Array.from({ length: 4 }, () => {
    const items = Int32Array.from({ length: 51 }, (_, i) => (i > 50 - repeats ? 0 : i))
    const { length } = items
    return { items, rewards: new Float32Array(length).fill(1), times: new Float64Array(length) }
  })

const excludes = (repeats: number): boolean =>
  holdOutLatest(histories(repeats), { random: createRandom(1) }).excludeHistory

describe('held-out interactions', () => {
  it('rank without the history below the repeat rate of excludeSeen: auto, and with it above', () => {
    expect(excludes(0)).toBe(true)
    expect(excludes(2)).toBe(true)
    expect(excludes(3)).toBe(false)
  })
})

describe('packed histories', () => {
  /** Ann's left items as [interactions before, item]; null without left items. */
  function leftOf(events: readonly RenEvent[], settledBy = -Infinity, itemCount = 6) {
    const { users } = foldEvents(firstItems, events)
    const packed = packHistories(users, { itemCount, withTimes: false, settledBy })
    const left = unpackHistories(packed)[[...users.keys()].indexOf('ann')]!.left
    return left && Array.from(left.after, (after, i) => [after, firstItems[left.items[i]!]])
  }
  const at = (time: number, event: RenEvent): RenEvent => ({ ...event, time })
  const others = [chosen('bob', 'a'), chosen('bob', 'b')]

  it('contain what users left before a choice: answered slates at once, others when settled', () => {
    const events = [
      ...others,
      at(10, slate('one', ['a', 'b'])),
      at(20, slate('two', ['c', 'd'])),
      chosenFrom('two', 'd'),
      at(30, slate('three', ['e', 'f'])),
    ]
    expect(leftOf(events)).toEqual([[0, 'c']])
    const both = [
      [0, 'a'],
      [0, 'b'],
      [0, 'c'],
    ]
    // Nothing was chosen after the third slate, so that there is nothing to compare it with.
    expect([leftOf(events, 10), leftOf(events, 30)]).toEqual([both, both])
    expect(leftOf([...events, chosen('ann', 'a')], 30)).toEqual([...both, [1, 'e'], [1, 'f']])
    // A late choice was no negative, and is compared with what was left at its moment.
    expect(leftOf([...events, chosenFrom('one', 'b')], 10)).toEqual([
      [0, 'a'],
      [0, 'c'],
      [1, 'a'],
      [1, 'c'],
    ])
  })

  it('compare every choice from a slate with the others', () => {
    const events = [chosen('ann', 'f'), slate('s', ['a', 'b', 'c', 'd'])]
    const choices = ['c', 'a'].map((item) => chosenFrom('s', item))
    const leftBefore = (...interactions: number[]) =>
      interactions.flatMap((one) => [[one, 'b'] as const, [one, 'd'] as const])
    expect(leftOf([...events, ...choices])).toEqual(leftBefore(1, 2))
    // Late choices, after one without a slate, which is a choice of the same moment.
    const between = [chosen('ann', 'e'), slate('t', ['e', 'f'])]
    expect(leftOf([...events, ...between, ...choices])).toEqual(leftBefore(1, 2, 3))
  })

  it('compare an item with the nearest ten choices if all feedback arrives at once', () => {
    // One choice in every slate of two.
    const slates = Array.from({ length: 30 }, (_, i) => String(i))
    const names = slates.flatMap((id) => [`left ${id}`, `chosen ${id}`])
    const { users } = foldEvents(names, [
      ...slates.map((id) => slate(id, [`left ${id}`, `chosen ${id}`])),
      ...slates.map((id) => chosenFrom(id, `chosen ${id}`)),
    ])
    const options = { itemCount: 60, withTimes: false, settledBy: -Infinity }
    const { after, items } = unpackHistories(packHistories(users, options))[0]!.left!
    expect(items).toHaveLength(300)
    for (const i of slates.keys()) {
      const choices = [...after].filter((_, place) => items[place] === 2 * i)
      const first = Math.min(20, Math.max(0, i - 5))
      expect(choices).toEqual(Array.from({ length: 10 }, (_, near) => first + near))
    }
  })

  it('contain reported rewards of 0 or less, and only confirmed impressions', () => {
    expect(leftOf([chosen('ann', 'a', 0), chosen('ann', 'b', -1), chosen('ann', 'c')])).toEqual([
      [0, 'a'],
      [0, 'b'],
    ])
    const unseen = [slate('s', ['a', 'b', 'c'], false), chosenFrom('s', 'b')]
    expect(leftOf(unseen)).toBeUndefined()
    expect(leftOf([...unseen, seen('s', ['b', 'c'])])).toEqual([[0, 'c']])
  })

  it('have no left items without slates, or if they are not requested', () => {
    expect(leftOf(others.concat(chosen('ann', 'a')))).toBeUndefined()
    const { users } = foldEvents(firstItems, [slate('s', ['a', 'b']), chosenFrom('s', 'b')])
    expect(packHistories(users, { itemCount: 6, withTimes: false }).left).toBeNull()
  })

  it('leave out later items of the catalog', () => {
    const events = [
      slate('one', ['a', 'f']),
      chosenFrom('one', 'f'),
      slate('two', ['b', 'f']),
      chosenFrom('two', 'b'),
      slate('three', ['c', 'd']),
      chosenFrom('three', 'd'),
    ]
    const all = [
      [0, 'a'],
      [1, 'f'],
      [2, 'c'],
    ]
    expect(leftOf(events)).toEqual(all)
    // Without f, a and the item b of the second slate precede the first interaction.
    expect(leftOf(events, -Infinity, 5)).toEqual([
      [0, 'a'],
      [1, 'c'],
    ])
  })
})
