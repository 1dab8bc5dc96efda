import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { describe, expect, it } from 'vitest'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import { createEngine } from '../../kernels/index.ts'
import { createMemoryStore, openSqliteStore, type EventStore } from '../../storage/index.ts'
import { completeSettings } from '../complete-settings.ts'
import { restoreGroups, type RestoredGroup } from './restore.ts'
import type { VariantSettings, LogMessage } from '../settings.ts'
import { stateSnapshot, weightsSnapshot } from './snapshots.ts'

const { folder } = temporaryFiles()
const engine = await createEngine()
const variant = (name: string, dimension = 3): VariantSettings => ({
  name,
  method: 'ren-g',
  settings: { dimension },
})
const settingsOf = (store: EventStore, variants: readonly VariantSettings[]) =>
  completeSettings({ store, variants })

async function restore(store: EventStore, variants: readonly VariantSettings[]) {
  const logMessages: LogMessage[] = []
  const logMessage = (message: LogMessage) => logMessages.push(message)
  const groups = await restoreGroups({
    engine,
    store,
    settings: settingsOf(store, variants),
    logMessage,
  })
  return { groups, logMessages }
}

const facts = (version: number) =>
  ({
    version,
    position: 0,
    loss: null,
    heldOut: null,
    origin: 'fine-tuned',
    quality: null,
    trainedOn: null,
  }) as const

async function saveWeights(store: EventStore, { group }: RestoredGroup, version: number) {
  const bytes = group.recommender.saveWeights()
  await store.writeSnapshot(weightsSnapshot(group, facts(version), 0, 0), [bytes])
}

async function saveState(
  store: EventStore,
  { group }: RestoredGroup,
  variants: readonly VariantSettings[],
  position: number,
) {
  const { observe, saveState: save, state } = group.recommender
  if (state.events < position)
    observe({ kind: 'items-put', items: [{ item: `${position}` }] }, position)
  await store.writeSnapshot(stateSnapshot(group, settingsOf(store, variants), position, 0), [
    ...save(),
  ])
}

/** A store with a number of events. */
async function storeOf(events: number): Promise<EventStore> {
  const store = createMemoryStore()
  const event = { kind: 'user-erased', time: 0 } as const
  await store.append(Array.from({ length: events }, () => ({ event })))
  return store
}

const positions = (groups: readonly RestoredGroup[]) => groups.map(({ position }) => position)
const versions = (groups: readonly RestoredGroup[]) => groups.map(({ group }) => group.version)

describe('the restored state of a service', () => {
  it('is empty at first', async () => {
    const { groups, logMessages } = await restore(createMemoryStore(), [variant('a'), variant('b')])
    expect(groups.map(({ group }) => group.name)).toEqual(['a', 'b'])
    expect(positions(groups)).toEqual([0, 0])
    expect(groups.map(({ facts: { origin } }) => origin)).toEqual(['start', 'start'])
    expect(logMessages).toEqual([])
  })

  it('has the newest readable weights', async () => {
    const store = createMemoryStore()
    const { groups } = await restore(store, [variant('a')])
    await saveWeights(store, groups[0]!, 4)
    const broken = weightsSnapshot(groups[0]!.group, facts(5), 0, 0)
    await store.writeSnapshot(broken, [new Uint8Array(100)])
    const again = await restore(store, [variant('a')])
    expect(versions(again.groups)).toEqual([4])
    expect(again.logMessages).toEqual([
      expect.objectContaining({ level: 'warning', message: expect.stringMatching(/is skipped/) }),
    ])
  })

  it('has no weights of the wrong length', async () => {
    const store = createMemoryStore()
    const { groups } = await restore(store, [variant('a')])
    await saveWeights(store, groups[0]!, 4)
    for (const difference of [-1, 1]) {
      const wrong: EventStore = {
        ...store,
        snapshots: async (kind, scope) =>
          (await store.snapshots(kind, scope)).map((info) => {
            return { ...info, bytes: info.bytes + difference }
          }),
      }
      const { logMessages } = await restore(wrong, [variant('a')])
      expect(logMessages).toMatchObject([{ level: 'warning', code: 'snapshot-damaged' }])
    }
  })

  it('has no weights of another method, whose version numbers are not reused', async () => {
    const store = createMemoryStore()
    const { groups } = await restore(store, [variant('a')])
    await saveWeights(store, groups[0]!, 4)
    const other = await restore(store, [variant('a', 5)])
    expect(versions(other.groups)).toEqual([5])
    expect(other.groups[0]!.facts.origin).toBe('start')
    expect(other.groups[0]!.group.recommender.model.dimension).toBe(5)
  })

  it('has the newest state that all groups have in common', async () => {
    const store = await storeOf(9)
    const variants = [variant('a'), variant('b')]
    const { groups } = await restore(store, variants)
    const [a, b] = groups as [RestoredGroup, RestoredGroup]
    for (const group of [a, b]) await saveState(store, group, variants, 3)
    await saveState(store, a, variants, 7)
    const again = await restore(store, variants)
    expect(positions(again.groups)).toEqual([3, 3])
    await saveState(store, b, variants, 7)
    expect(positions((await restore(store, variants)).groups)).toEqual([7, 7])
  })

  it('has the state before a damaged one, which is read and logged once', async () => {
    const path = join(folder, 'damaged.db')
    const store = await openSqliteStore(path)
    const event = { kind: 'user-erased', time: 0 } as const
    await store.append(Array.from({ length: 20 }, () => ({ event })))
    const { groups } = await restore(store, [variant('a')])
    for (const version of [1, 2, 3]) await saveWeights(store, groups[0]!, version)
    for (const position of [10, 15]) await saveState(store, groups[0]!, [variant('a')], position)
    const [{ id } = { id: 0 }] = await store.snapshots('state', 'a')
    const database = new DatabaseSync(path)
    const flip = `update snapshot_pieces set bytes = x'02' where snapshot = ? and part = 0`
    expect(database.prepare(flip).run(id).changes).toBe(1)
    database.close()
    const again = await restore(store, [variant('a')])
    expect([positions(again.groups), versions(again.groups)]).toEqual([[10], [3]])
    expect(again.logMessages).toMatchObject([{ level: 'warning', code: 'snapshot-damaged' }])
    await store.close()
  })

  it('has only the weights if the split of users has changed', async () => {
    const store = await storeOf(9)
    const variants = [variant('a'), variant('b')]
    const { groups } = await restore(store, variants)
    for (const group of groups) {
      await saveWeights(store, group, 2)
      await saveState(store, group, variants, 5)
    }
    const other = await restore(store, [variant('a'), { ...variant('b'), share: 3 }])
    expect(positions(other.groups)).toEqual([0, 0])
    expect(versions(other.groups)).toEqual([2, 2])
    expect(positions((await restore(store, variants)).groups)).toEqual([5, 5])
  })

  it('has no state beyond the end of the log, as after a restored backup', async () => {
    const store = await storeOf(4)
    const { groups } = await restore(store, [variant('a')])
    await saveState(store, groups[0]!, [variant('a')], 5)
    expect(positions((await restore(store, [variant('a')])).groups)).toEqual([0])
  })
})
