import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createMemoryStore } from '../../storage/index.ts'
import type { EventStore, NewEvent, StoredEvent } from '../../storage/index.ts'
import { Journal, sevenDigits } from './journal.ts'

const event = (id: string): NewEvent => ({
  id,
  event: { kind: 'interaction', user: 'ann', item: 'a', reward: 1, time: 0 },
})

function open(store: EventStore = createMemoryStore()) {
  const applied: StoredEvent[] = []
  const tailer = {
    committed: (events: readonly StoredEvent[]) => void applied.push(...events),
    holdErasures: () => () => {},
    applied: async () => {},
  }
  return { journal: new Journal(store, tailer, async () => {}), applied }
}

describe('an event that no caller waits for', () => {
  it('is written in a batch a moment later', async () => {
    const { journal, applied } = open()
    const all = Promise.all(['one', 'two', 'three'].map((id) => journal.appendSoon(event(id))))
    const results = await all
    expect(new Set(results).size).toBe(1)
    expect(applied.map(({ id, position }) => [id, position])).toEqual([
      ['one', 1],
      ['two', 2],
      ['three', 3],
    ])
    await journal.settled()
  })

  it('precedes all later writes', async () => {
    const { journal, applied } = open()
    void journal.appendSoon(event('soon'))
    await journal.append([event('now')])
    void journal.appendSoon(event('again'))
    await journal.commit(event('last').event)
    expect(applied.map(({ id }) => id)).toEqual(['soon', 'now', 'again', undefined])
  })

  it('is erased with a user who is erased a moment later', async () => {
    const store = createMemoryStore()
    const { journal } = open(store)
    void journal.appendSoon(event('soon'))
    const erased = await journal.eraseUser({ user: 'ann', time: 1, variantOf: () => 'ren' })
    expect(erased).toMatchObject({ events: 1 })
    await journal.settled()
    expect(await store.event('soon')).toMatchObject({ event: { kind: 'erased' } })
  })

  it('is written at once if the batch is full or the journal settles', async () => {
    const { journal, applied } = open()
    for (let i = 0; i < 300; i++) void journal.appendSoon(event(String(i)))
    await journal.settled()
    expect(applied).toHaveLength(300)
  })

  it('rejects for all events of a batch that was not written', async () => {
    const store = createMemoryStore()
    const { journal } = open({ ...store, append: () => Promise.reject(new Error('no space left')) })
    const results = await Promise.allSettled(
      ['one', 'two'].map((id) => journal.appendSoon(event(id))),
    )
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(journal.problem).toMatch('no space left')
    await journal.settled()
  })
})

describe('a number of a slate', () => {
  it('has at most seven significant digits, and the nearest decimal of them', () => {
    const significand = fc.double({ min: 1, max: 10, maxExcluded: true, noNaN: true })
    const any = fc.tuple(significand, fc.integer({ min: -30, max: 30 }), fc.constantFrom(-1, 1))
    fc.assert(
      fc.property(any, ([digits, exponent, sign]) => {
        const value = sign * digits * 10 ** exponent
        const short = sevenDigits(value)
        expect(short).toBe(Number(short.toPrecision(7)))
        expect(Math.abs(short - value)).toBeLessThanOrEqual(Math.abs(value) * 5.001e-7)
        expect(sevenDigits(short)).toBe(short)
      }),
    )
  })

  it('can be any number', () => {
    for (const value of [0, -0, 1, -3, 0.1, 1e300, 5e-324, Number.NaN, Infinity, -Infinity]) {
      expect(sevenDigits(value)).toBe(value)
    }
  })
})
