import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../core/random.ts'
import type { History } from '../batch.ts'
import { createEpoch, nextItemExample } from './examples.ts'
import type { ExampleOptions } from './examples.ts'

/** Histories in which every event has a distinct item, so that each can be traced. */
const historiesOf = (lengths: readonly number[]): History[] =>
  lengths.map((length, user) => ({
    items: Int32Array.from({ length }, (_, event) => 100 * user + event),
    rewards: Float32Array.from({ length }, (_, event) => event / 8),
    times: Float64Array.from({ length }, (_, event) => 1000 * event),
  }))

/** Every target of an epoch, with the items before its position. */
function targetsOf(histories: readonly History[], options: ExampleOptions, seed: number) {
  return createEpoch(histories, options, createRandom(seed)).flatMap((pieces) => {
    expect(pieces.length).toBeLessThanOrEqual(options.batchSize)
    const { batch, targets } = nextItemExample(pieces, options.withStart)
    return Array.from(targets.items, (item, i) => {
      const [step, s] = [
        Math.floor(targets.rows[i]! / pieces.length),
        targets.rows[i]! % pieces.length,
      ]
      const seen = Array.from({ length: step + 1 }, (_, t) => t * batch.sequences + s)
      const first = options.withStart ? [batch.rows[s]!] : []
      const events = options.withStart ? seen.slice(1) : seen
      return {
        item,
        reward: targets.rewards[i]!,
        first,
        seen: events.map((position) => batch.rows[position]! - 1),
        rewards: events.map((position) => batch.rewards[position]!),
        times: events.map((position) => batch.times[position]!),
      }
    })
  })
}

const cases = fc.record({
  lengths: fc.array(fc.nat(14), { minLength: 1, maxLength: 9 }),
  window: fc.integer({ min: 1, max: 6 }),
  withStart: fc.boolean(),
  batchSize: fc.integer({ min: 1, max: 4 }),
  seed: fc.nat(),
})

describe('an epoch', () => {
  it('has every event as a target once, except first events without a start vector', () => {
    fc.assert(
      fc.property(cases, ({ lengths, seed, ...options }) => {
        const histories = historiesOf(lengths)
        const expected = histories.flatMap(({ items }) => [
          ...items.subarray(options.withStart ? 0 : 1),
        ])
        const found = targetsOf(histories, options, seed).map(({ item }) => item)
        expect(found.toSorted((a, b) => a - b)).toEqual(expected)
      }),
    )
  })

  it('precedes a target by the events just before it, at most a window', () => {
    fc.assert(
      fc.property(cases, ({ lengths, seed, ...options }) => {
        for (const target of targetsOf(historiesOf(lengths), options, seed)) {
          const { item, seen } = target
          expect(seen).toEqual(seen.map((_, i) => item - seen.length + i))
          expect(seen.length).toBeGreaterThanOrEqual(options.withStart ? 0 : 1)
          expect(seen.length).toBeLessThanOrEqual(options.window)
          expect(target.first).toEqual(options.withStart ? [0] : [])
          expect(target.reward).toBe((item % 100) / 8)
          expect(target.rewards).toEqual(seen.map((other) => (other % 100) / 8))
          expect(target.times).toEqual(seen.map((other) => 1000 * (other % 100)))
        }
      }),
    )
  })

  it.each([true, false])('uses full windows (start vector: %s)', (withStart) => {
    const found = targetsOf(historiesOf([20]), { window: 5, withStart, batchSize: 2 }, 1)
    expect(Math.max(...found.map(({ seen }) => seen.length))).toBe(5)
    expect(found.find(({ item }) => item === 19)!.seen).toEqual([14, 15, 16, 17, 18])
  })

  it('has pieces with the time of the event before them', () => {
    fc.assert(
      fc.property(cases, ({ lengths, seed, ...options }) => {
        const pieces = createEpoch(historiesOf(lengths), options, createRandom(seed)).flat()
        for (const { times, timeBefore } of pieces) {
          expect(timeBefore).toBe(times[0] === 0 ? undefined : times[0]! - 1000)
        }
      }),
    )
  })

  it.each([0, -1, 1.5, Number.NaN])('is refused with a window or a batch size of %s', (bad) => {
    const options = { window: 5, withStart: true, batchSize: 2 }
    for (const wrong of [{ window: bad }, { batchSize: bad }]) {
      expect(() =>
        createEpoch(historiesOf([3]), { ...options, ...wrong }, createRandom(1)),
      ).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
  })

  it('depends on its seed, and differs from the next epoch', () => {
    const histories = historiesOf([3, 1, 4, 1, 5, 9, 2, 6])
    const order = (seed: number) =>
      targetsOf(histories, { window: 4, withStart: true, batchSize: 2 }, seed).map((t) => t.item)
    expect(order(1)).toEqual(order(1))
    expect(order(2)).not.toEqual(order(1))
  })

  it('compares every event with the items that the user left before it', () => {
    const leftBefore = fc.array(fc.record({ event: fc.nat(14), item: fc.nat(400) }))
    fc.assert(
      fc.property(cases, leftBefore, ({ lengths, seed, ...options }, all) => {
        const histories = historiesOf(lengths).map((history) => {
          const own = all
            .filter(({ event }) => event <= history.items.length)
            .toSorted((a, b) => a.event - b.event)
          const after = Int32Array.from(own, ({ event }) => event)
          return { ...history, left: { after, items: Int32Array.from(own, ({ item }) => item) } }
        })
        const found = createEpoch(histories, options, createRandom(seed)).flatMap((pieces) => {
          const { targets } = nextItemExample(pieces, options.withStart)
          const { left } = targets
          return Array.from(left?.items ?? [], (item, i) => [
            targets.items[left!.targets[i]!]!,
            item,
          ])
        })
        const expected = histories.flatMap(({ items, left }) =>
          Array.from(left.items, (item, i) => [left.after[i]!, item] as const).flatMap(
            ([event, item]) => {
              const chosen = items[event]
              const isFirst = event === 0 && !options.withStart
              return chosen === undefined || chosen === item || isFirst ? [] : [[chosen, item]]
            },
          ),
        )
        const sorted = (pairs: readonly (readonly number[])[]) =>
          pairs.map(([a, b]) => 1000 * a! + b!).toSorted((a, b) => a - b)
        expect(sorted(found)).toEqual(sorted(expected))
      }),
    )
  })

  it('groups sequences of similar length', () => {
    const histories = historiesOf([1, 9, 1, 9, 1, 9, 1, 9])
    const options = { window: 9, withStart: true, batchSize: 2 }
    for (const pieces of createEpoch(histories, options, createRandom(1))) {
      expect(new Set(pieces.map(({ items }) => items.length)).size).toBe(1)
    }
  })
})
