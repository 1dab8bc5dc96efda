import { expect, it } from 'vitest'
import { feedback, readAll, withCode } from '../../test/contracts/event-store-cases.ts'
import { copyStore } from './copy-store.ts'
import type { EventStore } from './event-store.ts'
import { createMemoryStore } from './memory-store.ts'

async function filledStore(events: number): Promise<EventStore> {
  const store = createMemoryStore()
  const all = Array.from({ length: events }, (_, at) => feedback(`user ${at}`, { id: `${at}` }))
  await store.append(all, { name: 'import', value: 'done' })
  return store
}

it('resumes after an interruption, and copies new events when it runs again', async () => {
  const [from, to] = [await filledStore(12_000), createMemoryStore()]
  const interrupt = new AbortController()
  const first = await copyStore(from, to, {
    signal: interrupt.signal,
    onProgress: () => interrupt.abort(),
  })
  expect(first.position).toBeGreaterThan(0)
  expect(first.position).toBeLessThan(12_000)
  expect(await to.head()).toBe(first.position)
  expect(await to.mark('import')).toBeNull()

  expect(await copyStore(from, to)).toMatchObject({ position: 12_000, head: 12_000 })
  expect(await to.mark('import')).toBe('done')
  await from.append([feedback('late')])
  expect(await copyStore(from, to)).toMatchObject({ position: 12_001 })
  expect(await readAll(to, 0)).toEqual(await readAll(from, 0))
})

it('copies the newest snapshots once', async () => {
  const [from, to] = [await filledStore(3), createMemoryStore()]
  for (const [kind, byte] of [
    ['weights', 1],
    ['weights', 2],
    ['state', 3],
  ] as const) {
    const about = { byte }
    await from.writeSnapshot({ kind, scope: 's', position: 3, time: byte, about }, [
      Uint8Array.of(byte),
    ])
  }
  expect(await copyStore(from, to)).toMatchObject({ snapshots: 2 })
  expect(await copyStore(from, to)).toMatchObject({ snapshots: 2 })
  const [weights, ...others] = await to.snapshots('weights', 's')
  expect([weights!.about, others]).toEqual([{ byte: 2 }, []])
  expect(await Array.fromAsync(to.readSnapshot(weights!.id))).toEqual([Uint8Array.of(2)])
})

it('refuses a target with events of its own, or with copies of another store', async () => {
  const [from, to] = [await filledStore(3), await filledStore(1)]
  await expect(copyStore(from, to)).rejects.toThrow('has events that are not copies')
  const target = createMemoryStore()
  await copyStore(from, target)
  await expect(copyStore(await filledStore(2), target)).rejects.toThrow(
    withCode('invalid-argument'),
  )
  const other = createMemoryStore()
  await other.append([feedback('x'), feedback('y'), feedback('z')])
  await expect(copyStore(other, target)).rejects.toThrow(withCode('invalid-argument'))
})

it('refuses to resume after a user was erased from the source', async () => {
  const [from, to] = [await filledStore(3), createMemoryStore()]
  await from.eraseUser({ user: 'user 0', time: 0, variantOf: () => 'x' })
  // An erasure before the copy is copied.
  await copyStore(from, to)
  expect(await readAll(to, 0)).toEqual(await readAll(from, 0))
  await from.eraseUser({ user: 'user 1', time: 0, variantOf: () => 'x' })
  await expect(copyStore(from, to)).rejects.toThrow('a user was erased at position 5 of the source')
})
