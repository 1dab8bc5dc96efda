import { setTimeout as delay } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { closeServices, startService } from '../../../test/services.ts'
import { createMemoryStore, type EventStore } from '../../storage/index.ts'

closeServices()

test('a state that contains an erased user is saved again without the user', async () => {
  const store = createMemoryStore()
  let erase: (() => Promise<unknown>) | null = null
  let writes = 0
  const writeSnapshot: EventStore['writeSnapshot'] = async (snapshot, parts) => {
    writes += 1
    const meanwhile = erase
    erase = null
    await meanwhile?.()
    return store.writeSnapshot(snapshot, parts)
  }
  const { service, logMessages } = await startService({
    store: { ...store, writeSnapshot },
    snapshots: { everyEvents: 4 },
  })
  erase = () => service.users.erase('ann')
  await service.record(['ann', 'bob', 'cem'].map((user) => ({ user, item: 'a' })))
  while ((await store.snapshots('state', 'ren')).length === 0) await delay(1)
  expect(writes).toBe(2)
  expect(logMessages).toEqual([])
  const [newest] = await store.snapshots('state', 'ren')
  expect(newest!.position).toBe(service.position)
})
