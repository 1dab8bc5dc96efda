import { expect, it } from 'vitest'
import { eraseEvents } from './erasure.ts'
import type { LogEvent, StoredEvent } from './log-event.ts'

const stored = (event: LogEvent, at: number, id?: string): StoredEvent => ({
  position: at + 1,
  event,
  ...(id !== undefined && { id }),
})
const served = (at: number): StoredEvent => {
  const scores = { score: 1, relevance: 1, diversity: 0, uncertainty: 0 }
  const items = [{ item: 'a', ...scores }]
  const more = { counted: true, variant: 'x', policy: 'p', modelVersion: 1, time: at }
  return stored({ kind: 'recommendation', user: 'ann', items, ...more }, at, `slate ${at}`)
}
it('uses the latest impressions of a slate, for its items only', () => {
  const saw = (items: string[], at: number): StoredEvent =>
    stored({ kind: 'impressions', user: 'ann', recommendationId: 'slate 0', items, time: 0 }, at)
  const left = eraseEvents([served(0), saw([], 1), saw(['a', 'b'], 2), saw(['a'], 3)], () => 'x')
  expect(left.map(({ impressions }) => impressions)).toEqual([
    [['a', 1]],
    [['a', -1]],
    [['a', 1]],
    [],
  ])
})

it('ignores impressions of another user’s slate, unless the users were merged', () => {
  const saw = (at: number): StoredEvent =>
    stored(
      { kind: 'impressions', user: 'bob', recommendationId: 'slate 0', items: [], time: 0 },
      at,
    )
  const merged = stored({ kind: 'users-merged', user: 'bob', from: 'ann', time: 0 }, 2)
  const left = eraseEvents(
    [served(0), saw(1), merged, saw(3), saw(4)],
    (user) => `variant of ${user}`,
  )
  expect(left.map(({ variant, impressions }) => [variant, impressions])).toEqual([
    ['variant of ann', [['a', 1]]],
    ['variant of bob', []],
    ['variant of bob', []],
    ['variant of bob', [['a', -1]]],
    ['variant of bob', []],
  ])
})

it('leaves the day of an interaction with a reward above 0', () => {
  const given = { kind: 'interaction', user: 'ann', item: 'a', time: 2.5 * 86_400_000 } as const
  const left = eraseEvents(
    [stored({ ...given, reward: 1 }, 0), stored({ ...given, reward: 0 }, 1)],
    () => 'x',
  )
  expect(left).toEqual([
    { kind: 'erased', variant: 'x', impressions: [], interactions: [['a', 1]], day: 2 },
    { kind: 'erased', variant: 'x', impressions: [], interactions: [] },
  ])
})
