import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomHistory } from '../../test/check-causality.ts'
import { createRandom } from '../core/random.ts'
import {
  createBatch,
  lastEvents,
  requireHistory,
  requireKnownItems,
  sliceHistory,
} from './batch.ts'
import type { History } from './batch.ts'

const lengths = fc.array(fc.nat(6), { minLength: 1, maxLength: 5 })

describe('a batch', () => {
  it('has step t of sequence s at t·sequences + s, and zeros elsewhere', () => {
    fc.assert(
      fc.property(lengths, fc.boolean(), (drawn, withStart) => {
        const histories = drawn.map((length) => randomHistory(length, createRandom(length)))
        const batch = createBatch(histories, withStart)
        const start = withStart ? 1 : 0
        expect(batch.sequences).toBe(histories.length)
        expect(batch.steps).toBe(Math.max(1, ...drawn.map((length) => length + start)))
        for (let t = 0; t < batch.steps; t++) {
          for (const [s, { items, rewards, times }] of histories.entries()) {
            const [position, event] = [t * batch.sequences + s, t - start]
            expect(batch.rows[position]).toBe((items[event] ?? -1) + 1)
            expect(batch.rewards[position]).toBe(rewards[event] ?? 0)
            expect(batch.times[position]).toBe(times[event] ?? 0)
          }
        }
      }),
    )
  })
})

/** A history with c distinct context values per event. */
const withContext = (length: number, c: number): History => ({
  ...randomHistory(length, createRandom(length)),
  context: Float32Array.from({ length: length * c }, (_, i) => i + 1),
})

describe('the context of a batch', () => {
  it('is at its event, and zero at the start, in the padding and without context', () => {
    const { context: _, ...without } = withContext(2, 2)
    const { contexts } = createBatch([withContext(2, 2), without, withContext(1, 2)], true)
    const none = [0, 0]
    const start = [none, none, none].flat()
    expect([...contexts!]).toEqual([...start, 1, 2, ...none, 1, 2, 3, 4, ...none, ...none])
  })

  it('is absent if no history has context', () => {
    expect(createBatch([randomHistory(3, createRandom(1))], true)).not.toHaveProperty('contexts')
  })

  it('is refused if its width differs between events', () => {
    const mismatch = expect.objectContaining({ code: 'shape-mismatch' })
    expect(() => createBatch([withContext(2, 2), withContext(3, 1)], true)).toThrow(mismatch)
    const uneven = { ...withContext(2, 2), context: new Float32Array(3) }
    expect(() => createBatch([uneven], true)).toThrow(mismatch)
  })
})

describe('a slice of a history', () => {
  it('has its events with their context, and the time of the event before', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.nat(), fc.nat(), fc.nat(3), (length, a, b, c) => {
        const history = withContext(length, c)
        const [from, to] = [a % (length + 1), b % (length + 1)].toSorted((x, y) => x - y)
        const slice = sliceHistory(history, from!, to!)
        expect(slice.items).toEqual(history.items.slice(from, to))
        expect(slice.rewards).toEqual(history.rewards.slice(from, to))
        expect(slice.times).toEqual(history.times.slice(from, to))
        expect(slice.context).toEqual(history.context!.slice(c * from!, c * to!))
        expect(slice.timeBefore).toBe(history.times[from! - 1])
      }),
    )
  })

  it('of a slice equals a slice of the whole history', () => {
    const whole = withContext(9, 2)
    const twice = sliceHistory(sliceHistory(whole, 2, 8), 0, 3)
    expect(twice).toEqual(sliceHistory(whole, 2, 5))
    const { timesBefore } = createBatch([twice, sliceHistory(whole, 0, 3)], true)
    expect([...timesBefore!]).toEqual([whole.times[1], Number.NEGATIVE_INFINITY])
  })
})

describe('the last events', () => {
  it('are the end of a history, or the whole history', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.nat(8), (length, count) => {
        const history = randomHistory(length, createRandom(length))
        const last = lastEvents(history, count)
        const from = Math.max(0, length - count)
        expect(last.items).toEqual(history.items.slice(from))
        expect(last.rewards).toEqual(history.rewards.slice(from))
        expect(last.times).toEqual(history.times.slice(from))
      }),
    )
  })
})

describe('the items that a user left', () => {
  const events = new Int32Array(6)
  const left = { after: Int32Array.of(0, 2, 2, 3, 6), items: Int32Array.of(5, 1, 2, 3, 4) }
  const history = { items: events, rewards: new Float32Array(6), times: new Float64Array(6), left }
  const leftIn = (slice: History) => [[...slice.left!.after], [...slice.left!.items]]

  it('are in a slice if one of its events followed', () => {
    expect(leftIn(sliceHistory(history, 0, 3))).toEqual([
      [0, 2, 2],
      [5, 1, 2],
    ])
    expect(leftIn(sliceHistory(history, 2, 6))).toEqual([
      [0, 0, 1],
      [1, 2, 3],
    ])
    expect(leftIn(sliceHistory(sliceHistory(history, 1, 6), 1, 2))).toEqual([
      [0, 0],
      [1, 2],
    ])
  })

  it.each([
    ['shape-mismatch', { after: Int32Array.of(0), items: Int32Array.of(1, 2) }],
    ['invalid-argument', { after: Int32Array.of(2, 1), items: Int32Array.of(1, 2) }],
    ['invalid-argument', { after: Int32Array.of(-1, 1), items: Int32Array.of(1, 2) }],
    ['invalid-argument', { after: Int32Array.of(1, 7), items: Int32Array.of(1, 2) }],
    ['index-out-of-range', { after: Int32Array.of(1, 2), items: Int32Array.of(1, 9) }],
  ])('are refused as %s', (code, wrong) => {
    expect(() => requireHistory(history, 9)).not.toThrow()
    expect(() => requireHistory({ ...history, left: wrong }, 9)).toThrow(
      expect.objectContaining({ code }),
    )
  })
})

describe('an item outside the catalog', () => {
  it('is refused with the index of its event', () => {
    expect(() => requireKnownItems(Int32Array.of(0, 4, 5), 5)).toThrow('event 2 names item 5')
    expect(() => requireKnownItems(Int32Array.of(-1), 5)).toThrow('event 0 names item -1')
    expect(() => requireKnownItems(Int32Array.of(0, 4), 5)).not.toThrow()
  })
})
