import { describe, expect, it } from 'vitest'

import { createMemoryStore } from '../../storage/index.ts'
import { importItems } from './import-items.ts'

const items = Array.from({ length: 25 }, (_, number) => ({
  item: `item ${number}`,
  attributes: { number, tags: ['new', 'old'].slice(number % 3) },
}))

describe('importing items', () => {
  it('adds new items, updates changed ones and skips the rest', async () => {
    const store = createMemoryStore()
    const options = { time: 7, batchRows: 10 }
    const first = await importItems(store, items, options)
    expect(first).toEqual({ rows: 25, done: 25, before: 0, added: 25, changed: 0 })
    expect(await store.head()).toBe(3)
    const again = await importItems(store, items, options)
    expect(again).toEqual({ rows: 25, done: 25, before: 25, added: 0, changed: 0 })
    expect(await store.head()).toBe(3)
    const changed = [...items.slice(1), { item: 'item 0' }, { item: 'another' }]
    const third = await importItems(store, changed, options)
    expect(third).toEqual({ rows: 26, done: 26, before: 24, added: 1, changed: 1 })
    const changedItem = (await store.items({ limit: 100 })).find(({ item }) => item === 'item 0')
    expect(changedItem!.attributes).toEqual({})
  })

  it('stops on request', async () => {
    const store = createMemoryStore()
    const signal = AbortSignal.abort()
    expect(await importItems(store, items, { time: 0, signal })).toMatchObject({
      done: 0,
      added: 0,
    })
    expect(await store.head()).toBe(0)
  })
})
