import { afterEach, describe, expect, it } from 'vitest'

import { createMemoryStore, type EventStore } from '../../storage/index.ts'
import type { LogMessage } from '../settings.ts'
import { missingScope, openKeyRing, makeKey, type KeyRing } from './key-ring.ts'

const open: KeyRing[] = []
const logMessages: LogMessage[] = []
afterEach(() => {
  for (const ring of open.splice(0)) ring.close()
  logMessages.splice(0)
})

async function openRing(store: EventStore): Promise<KeyRing> {
  const ring = await openKeyRing(store, (logMessage) => logMessages.push(logMessage))
  open.push(ring)
  return ring
}

async function addKey(store: EventStore) {
  const created = makeKey({ name: 'shop', scopes: ['events'], time: 0 })
  await store.addKey(created.stored)
  return { header: `Bearer ${created.key}`, ...created }
}

const until = async (isSo: () => boolean, ms: number): Promise<number> => {
  const began = performance.now()
  while (!isSo() && performance.now() - began < ms) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return performance.now() - began
}

describe('the keys of a store', () => {
  it('are empty at first, and a request without a key has no identity', async () => {
    const ring = await openRing(createMemoryStore())
    expect(ring.locked).toBe(false)
    expect(ring.usable).toBe(false)
    expect(ring.identify(undefined)).toBeNull()
    expect(
      ring.identify(`Bearer ${makeKey({ name: 'x', scopes: [], time: 0 }).key}`),
    ).toMatchObject({
      code: 'key-refused',
    })
  })

  it('are accepted only with their secret, as a bearer token', async () => {
    const store = createMemoryStore()
    const { header, stored, key } = await addKey(store)
    const other = await addKey(store)
    const ring = await openRing(store)
    expect(ring.identify(header)).toEqual(stored)
    expect(ring.identify(`bEARER ${key}`), 'the scheme has no case').toEqual(stored)
    const swapped = `Bearer ren_${other.stored.id}_${key.slice(-43)}`
    for (const wrong of [key, `Basic ${key}`, 'Bearer ', '', swapped, `${header} `]) {
      expect(ring.identify(wrong), wrong).toMatchObject({ code: 'key-refused' })
    }
  })

  it('take effect and are revoked within a second of a write by any process', async () => {
    const store = createMemoryStore()
    const ring = await openRing(store)
    const { header, stored } = await addKey(store)
    expect(await until(() => ring.usable, 2000)).toBeLessThan(1000)
    expect(ring.identify(header)).toMatchObject({ id: stored.id })
    await store.revokeKey(stored.id, 1)
    expect(await until(() => !ring.usable, 2000)).toBeLessThan(1000)
    expect(ring.identify(header)).toMatchObject({ code: 'key-refused' })
    expect(ring.locked, 'the last key is gone, and nothing is open').toBe(true)
  })

  it('stay valid while the store cannot be read, which is logged once', async () => {
    const store = createMemoryStore()
    const { header, stored } = await addKey(store)
    const ring = await openRing(store)
    await store.close()
    await until(() => logMessages.length > 1, 1300)
    expect(ring.identify(header)).toEqual(stored)
    expect(logMessages).toEqual([
      {
        level: 'error',
        message: expect.stringMatching(/keys cannot be read/),
        code: 'store-closed',
      },
    ])
  })
})

describe('a key without the scope it needs', () => {
  it.each([
    ['recommend', 'the scope recommend or admin, but'],
    ['admin', 'the scope admin, but'],
  ] as const)('is refused: %s', (scope, words) => {
    const { stored } = makeKey({ name: 'shop', scopes: ['events'], time: 0 })
    expect(missingScope(stored, scope)!.message).toContain(words)
    expect(missingScope(stored, 'events')).toBeUndefined()
  })
})
