import { expect, test } from 'vitest'

import { createEngine } from '../../kernels/index.ts'
import { createMemoryStore, type EventStore } from '../../storage/index.ts'
import { completeSettings } from '../complete-settings.ts'
import { restoreGroups } from '../state/restore.ts'
import { openVersions } from './versions.ts'

/** The versions after a start with a model of that dimension. */
async function start(store: EventStore, dimension: number) {
  const variants = [{ name: 'ren', method: 'ren-g', settings: { dimension } }]
  const settings = completeSettings({ store, variants })
  const [engine, logMessage] = [await createEngine(), () => {}]
  const groups = await restoreGroups({ engine, store, settings, logMessage })
  const inService = () => ({ live: null, reward: null, slates: 0 })
  const versions = await openVersions({ settings, store, groups, logMessage, inService })
  for (const one of groups) await versions.saveServed(one)
  const { group, weights } = groups[0]!
  return { group, weights, versions }
}

const facts = {
  position: 1,
  loss: 0.5,
  heldOut: null,
  origin: 'fine-tuned',
  quality: null,
  trainedOn: null,
} as const

test('weights of another method are retained, and serve again when the method returns', async () => {
  const store = createMemoryStore()
  const one = await start(store, 4)
  await one.versions.save(one.group, { ...facts, version: 1 }, { parts: [one.weights], items: 0 })
  const list = ({ group, versions }: typeof one) =>
    versions.list(group).map(({ version, available }) => [version, available])
  const other = await start(store, 8)
  expect(other.group.version).toBe(2)
  await other.versions.save(
    other.group,
    { ...facts, version: 3 },
    { parts: [other.weights], items: 0 },
  )
  expect(list(other)).toEqual([
    [3, true],
    [2, true],
    [1, false],
    [0, false],
  ])
  await expect(other.versions.weights(other.group, 1)).rejects.toMatchObject({ code: 'not-found' })
  const again = await start(store, 4)
  expect(again.group.version).toBe(1)
  expect(again.versions.next(again.group)).toBe(4)
  expect((await again.versions.weights(again.group, 1)).weights).toEqual(one.weights)
  expect(list(again).filter(([, available]) => available)).toEqual([
    [1, true],
    [0, true],
  ])
})

test('the list of versions is limited', async () => {
  const store = createMemoryStore()
  const limits = new Set<number | undefined>()
  const trimSnapshots: EventStore['trimSnapshots'] = (kind, scope, retained, maxListed) => {
    limits.add(maxListed)
    return store.trimSnapshots(kind, scope, retained, maxListed)
  }
  await start({ ...store, trimSnapshots }, 4)
  expect([...limits]).toEqual([1000])
})
