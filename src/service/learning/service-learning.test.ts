// Learning in a complete service.

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'

import { closeServices, startService } from '../../../test/services.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import { createMemoryStore, type EventStore } from '../../storage/index.ts'
import type { LiveEvent, Service } from '../service.ts'

closeServices()
const { folder } = temporaryFiles()

test('a service learns while it serves, reports it, and continues after a restart', async () => {
  const store = join(folder, 'log.db')
  const learning = { everyEvents: 20, everySeconds: 60 }
  const { service, logMessages } = await startService({ store, learning })
  const reported: LiveEvent[] = []
  service.subscribe((event) => reported.push(event))
  const versions: number[] = []
  for (let i = 0; versions.at(-1) !== 2; i++) {
    const user = `user-${i % 7}`
    const slate = await service.recommend({ user, count: 2 })
    versions.push(slate.modelVersion)
    const { item } = slate.items[0]!
    await service.record([{ user, item, recommendationId: slate.recommendationId! }])
    await delay(1)
  }
  expect(new Set(versions)).toEqual(new Set([0, 1, 2]))
  const models = reported.flatMap((event) => (event.kind === 'model' ? [event.version] : []))
  const outcomes = reported.flatMap((event) => (event.kind === 'learning' ? [event.outcome] : []))
  // A third update may have started by then.
  expect(models.slice(0, 2)).toMatchObject([{ version: 1, origin: 'fine-tuned' }, { version: 2 }])
  expect(outcomes.slice(0, 2)).toMatchObject([{ outcome: 'trained', version: 1 }, { version: 2 }])
  const training = reported.filter((event) => event.kind === 'training')
  expect(training[0]).toEqual({ kind: 'training', group: 'ren', share: 0 })
  expect(training.some(({ share }) => share === 1)).toBe(true)
  // Nothing is left to learn after this, so that no update starts while the service closes.
  await service.model.train()
  const { version, position } = service.model.current()[0]!
  await service.close()
  expect(logMessages).toEqual([])
  const again = await startService({ store, learning })
  expect(again.service.model.current()).toMatchObject([{ version, position }])
  const slate = await again.service.recommend({ user: 'user-1', count: 2 })
  expect(slate.modelVersion).toBe(version)
})

test('a service whose last update failed still serves, and reports the problem', async () => {
  const store = createMemoryStore()
  const writeSnapshot: EventStore['writeSnapshot'] = async (snapshot, parts) => {
    if (snapshot.position > 0) throw new Error('no space')
    return store.writeSnapshot(snapshot, parts)
  }
  const { service } = await startService({
    store: { ...store, writeSnapshot },
    learning: { everyEvents: Infinity, everySeconds: Infinity },
  })
  await service.record(['a', 'b'].map((item) => ({ user: 'ann', item })))
  await expect(service.model.train()).rejects.toThrow('no space')
  expect(service.health()).toMatchObject({
    ready: true,
    problems: ['the last update of ren failed: no space'],
  })
})

const seldom = { everyEvents: Infinity, everySeconds: Infinity }
const historyOf = ({ users }: Service, user: string): readonly string[] =>
  (users.get(user)?.history ?? []).map(({ item }) => item)

/** The state of merged users whose merge the learner thread had not received. */
async function eraseAfterComeback(
  store: EventStore | string,
  mergedInto: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const { service, logMessages } = await startService({ store, learning: seldom })
  await service.record(['a', 'b', 'c'].map((item) => ({ user: 'device', item })))
  await service.model.train()
  await service.users.merge('device', 'ann')
  await service.record([{ user: 'device', item: 'f' }])
  for (const into of mergedInto) await service.users.merge('device', into)
  await service.users.erase('ann')
  // The learner saves the state at the end.
  await service.close()
  expect(logMessages).toEqual([])
  const again = await startService({ store })
  return ['ann', 'device', 'carl'].map((user) => historyOf(again.service, user))
}

test('events of a merged name that was used again are erased with the user', async () => {
  const known = await eraseAfterComeback(join(folder, 'came-back.db'), [])
  expect(known).toEqual([[], ['f'], []])
})

test('the same if that name was then merged into another', async () => {
  const known = await eraseAfterComeback(createMemoryStore(), ['carl'])
  expect(known).toEqual([[], [], ['f']])
})
