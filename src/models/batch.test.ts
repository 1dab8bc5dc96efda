import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomHistory } from '../../test/check-causality.ts'
import { createRandom } from '../core/random.ts'
import { createBatch, lastEvents, requireKnownItems } from './batch.ts'

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

describe('the last events', () => {
  it('are the end of a history, or all of it', () => {
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

describe('an item outside the catalogue', () => {
  it('is refused with its event', () => {
    expect(() => requireKnownItems(Int32Array.of(0, 4, 5), 5)).toThrow('event 2 names item 5')
    expect(() => requireKnownItems(Int32Array.of(-1), 5)).toThrow('event 0 names item -1')
    expect(() => requireKnownItems(Int32Array.of(0, 4), 5)).not.toThrow()
  })
})
