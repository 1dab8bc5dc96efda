// Real threads, real files: what the twin makes of a log, and what comes back of it.

import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { temporaryFiles } from '../../../test/temporary-files.ts'
import {
  closeTwins,
  feedback,
  itemsPut,
  served,
  startTestTwin,
  visits,
} from '../../../test/twins.ts'
import type { TestTwin } from '../../../test/twins.ts'
import { createMemoryStore, openSqliteStore } from '../../storage/index.ts'
import type { EventStore } from '../../storage/index.ts'
import { partsOf } from '../restore.ts'

closeTwins()
const { folder } = temporaryFiles()
let files = 0
const openFile = (): Promise<EventStore> => openSqliteStore(join(folder, `log-${files++}.db`))

const weightsOf = ({ groups }: TestTwin): Uint8Array => groups[0]!.recommender.saveWeights()

/** As text, in which the names of users can be read. */
async function savedState({ twin, store }: TestTwin): Promise<string> {
  await twin.saveState()
  const [newest] = await store.snapshots('state', 'ren')
  return Buffer.concat(await partsOf(store, newest!)).toString('latin1')
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5)
}

test('feedback changes the weights that serve, and they are those that the twin has saved', async () => {
  const store = await openFile()
  const one = await startTestTwin({ store })
  await one.tell(itemsPut(20), ...visits(10, 20))
  const before = weightsOf(one)
  const [outcome] = await one.twin.model.train()
  expect(outcome).toMatchObject({ group: 'ren', outcome: 'learnt', version: 1 })
  expect(outcome!.swapMs).toBeGreaterThan(0)
  expect(weightsOf(one)).not.toEqual(before)
  const [newest] = await store.snapshots('weights', 'ren')
  expect(newest).toMatchObject({ position: 31, about: { version: 1, origin: 'learnt' } })
  expect(await partsOf(store, newest!)).toEqual([weightsOf(one)])
  expect(one.versions).toMatchObject([{ version: 1, position: 31, available: true }])
  expect(one.outcomes).toEqual([outcome])
})

test('where nothing is new, nothing is learnt and nobody is told', async () => {
  const one = await startTestTwin()
  await one.tell(itemsPut(5), ...visits(3, 5))
  await one.twin.model.train()
  const again = await one.twin.model.train()
  expect(again).toMatchObject([{ outcome: 'nothing-new', version: 1, loss: null, swapMs: null }])
  expect(one.outcomes).toHaveLength(1)
})

test('training goes on until nobody waits', async () => {
  const one = await startTestTwin({ learning: { mostUsers: 4 } })
  await one.tell(itemsPut(10), ...visits(10, 10))
  await one.twin.model.train()
  expect(one.outcomes.map(({ outcome }) => outcome)).toEqual(['learnt', 'learnt', 'learnt'])
  expect(one.groups[0]!.version).toBe(3)
})

test('the main thread has time while the twin learns', async () => {
  const arms = [{ name: 'ren', method: 'ren-g', settings: { fineTuneSteps: 200 } }]
  const one = await startTestTwin({ arms, learning: { tolerance: 100 } })
  await one.tell(itemsPut(500), ...visits(100, 500))
  await one.twin.model.rollBack(0)
  const before = performance.eventLoopUtilization()
  const [outcome] = await one.twin.model.train()
  const { utilization, active, idle } = performance.eventLoopUtilization(before)
  expect(outcome).toMatchObject({ outcome: 'learnt' })
  expect(active + idle).toBeGreaterThan(100)
  expect(utilization).toBeLessThan(0.3)
})

test('an update that does harm is refused and said to be, and the old weights serve on', async () => {
  const arms = [
    { name: 'ren', method: 'ren-g', settings: { dimension: 4, rate: 1e5, fineTuneSteps: 20 } },
  ]
  const one = await startTestTwin({ arms, store: await openFile() })
  await one.tell(itemsPut(20), ...visits(20, 20))
  const before = weightsOf(one)
  const [outcome] = await one.twin.model.train()
  expect(outcome).toMatchObject({ outcome: 'refused', version: 0, loss: null, swapMs: null })
  expect(outcome!.reason).toMatch(/rose from|finite/)
  expect(one.notices.map(({ message }) => message)).toEqual([
    `an update of ren was refused: ${outcome!.reason}`,
  ])
  expect(one.outcomes).toEqual([outcome])
  expect(one.versions).toEqual([])
  expect(weightsOf(one)).toEqual(before)
  expect(await one.twin.model.versions()).toHaveLength(1)
})

test('what was shown and not taken is learnt to be worth 0 when the window has passed', async () => {
  const one = await startTestTwin({ attributionWindow: 1000 })
  one.time = 5000
  await one.tell(itemsPut(5), served('ann', ['0', '1'], 5000))
  expect(await one.twin.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
  one.time = 5999
  expect(await one.twin.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
  one.time = 6000
  expect(await one.twin.model.train()).toMatchObject([{ outcome: 'learnt' }])
  expect(await one.twin.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
})

test('time alone brings an update, with no event after the slate', async () => {
  const one = await startTestTwin({ attributionWindow: 1000, learning: { everySeconds: 0.02 } })
  await one.tell(itemsPut(5), served('ann', ['0', '1'], one.time))
  await delay(100)
  expect(one.outcomes).toEqual([])
  one.time += 1000
  await until(() => one.outcomes.length > 0)
  expect(one.outcomes).toMatchObject([{ outcome: 'learnt', version: 1 }])
})

test('so many events bring an update, and a snapshot of the state', async () => {
  const one = await startTestTwin({
    learning: { everyEvents: 5 },
    snapshots: { everyEvents: 8, keepStates: 1 },
  })
  await one.tell(itemsPut(5), ...visits(1, 5))
  await delay(50)
  expect(one.outcomes).toEqual([])
  await one.tell(feedback('ann', '2', 1, 7))
  await until(() => one.outcomes.length === 1)
  await one.tell(...visits(3, 5))
  await until(() => one.outcomes.length === 2)
  await one.twin.saveState()
  const states = await one.store.snapshots('state', 'ren')
  expect(states.map(({ position }) => position)).toEqual([14])
})

test('an earlier version serves again as a new one', async () => {
  const one = await startTestTwin({ store: await openFile() })
  await one.tell(itemsPut(20), ...visits(10, 20))
  await one.twin.model.train()
  const first = one.groups[0]!.recommender.model.itemEmbeddings.values.slice()
  await one.tell(...visits(15, 20).toReversed())
  await one.twin.model.train()
  expect(one.groups[0]!.recommender.model.itemEmbeddings.values).not.toEqual(first)
  const version = await one.twin.model.rollBack(1)
  expect(version).toMatchObject({ version: 3, origin: 'rolled-back', available: true })
  expect(one.groups[0]!.recommender.model.itemEmbeddings.values).toEqual(first)
  expect(one.twin.model.current()).toEqual([version])
  expect(one.versions.at(-1)).toEqual(version)
  const all = await one.twin.model.versions()
  expect(all.map((other) => [other.version, other.origin])).toEqual([
    [3, 'rolled-back'],
    [2, 'learnt'],
    [1, 'learnt'],
    [0, 'start'],
  ])
  // What was learnt in between is not news again.
  expect(await one.twin.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
  await expect(one.twin.model.rollBack(9)).rejects.toMatchObject({ code: 'not-found' })
  await expect(one.twin.model.rollBack(1, 'nobody')).rejects.toMatchObject({ code: 'not-found' })
})

test('only as many weights are kept as wanted, and the list says which', async () => {
  const one = await startTestTwin({ snapshots: { keepWeights: 2 } })
  for (const user of ['ann', 'bob', 'cem']) {
    await one.tell(itemsPut(5), feedback(user, '1', 1, 1), feedback(user, '2', 1, 2))
    await one.twin.model.train()
  }
  const all = await one.twin.model.versions()
  expect(all.map(({ version, available }) => [version, available])).toEqual([
    [3, true],
    [2, false],
    [1, false],
    [0, true],
  ])
  const readable = (await one.store.snapshots('weights', 'ren')).filter((info) => info.readable)
  expect(readable.map(({ about }) => about['version'])).toEqual([3, 0])
  await expect(one.twin.model.rollBack(1)).rejects.toMatchObject({ code: 'not-found' })
})

test('a restart serves the newest version', async () => {
  const store = await openFile()
  const one = await startTestTwin({ store })
  await one.tell(itemsPut(20), ...visits(10, 20))
  await one.twin.model.train()
  await one.twin.saveState()
  await one.tell(...visits(3, 20))
  const newest = weightsOf(one)
  await one.close()
  const two = await startTestTwin({ store })
  expect(two.twin.model.current()).toMatchObject([{ version: 1, origin: 'learnt', position: 31 }])
  expect(weightsOf(two)).toEqual(newest)
  expect(await two.twin.model.train()).toMatchObject([{ outcome: 'learnt', version: 2 }])
  await store.close()
})

test('a thread that was killed is replaced, and goes on where the main thread is', async () => {
  for (const store of [createMemoryStore(), await openFile()]) {
    const one = await startTestTwin({ store })
    await one.tell(itemsPut(20), ...visits(10, 20))
    await one.twin.model.train()
    await one.twin.saveState()
    await one.tell({ kind: 'items-put', time: 0, items: [{ item: 'new', like: ['0', '1'] }] })
    await one.tell(...visits(4, 20))
    await one.threads[0]!.terminate()
    expect(one.notices).toMatchObject([{ level: 'warning', code: 'worker-failed' }])
    expect(await one.twin.model.train()).toMatchObject([{ outcome: 'learnt', version: 2 }])
    expect(one.threads).toHaveLength(2)
    const [newest] = await store.snapshots('weights', 'ren')
    expect(await partsOf(store, newest!)).toEqual([weightsOf(one)])
    await one.close()
  }
})

test('who waits for a thread that dies is told, and the next job has another', async () => {
  const arms = [{ name: 'ren', method: 'ren-g', settings: { fineTuneSteps: 5000 } }]
  const one = await startTestTwin({ arms, store: await openFile() })
  await one.tell(itemsPut(20), ...visits(10, 20))
  await one.twin.model.rollBack(0)
  const before = weightsOf(one)
  const training = one.twin.model.train()
  await delay(50)
  await one.threads[0]!.terminate()
  await expect(training).rejects.toMatchObject({ code: 'worker-failed' })
  expect(weightsOf(one)).toEqual(before)
  await one.twin.saveState()
  expect(await one.store.snapshots('state', 'ren')).toMatchObject([{ position: 31 }])
})

test('a twin whose update was lost is replaced by one that has the weights that serve', async () => {
  const one = await startTestTwin()
  const group = one.groups[0]!
  const { adopt } = group
  await one.tell(itemsPut(20), ...visits(10, 20))
  Object.assign(group, {
    adopt() {
      throw new Error('lost')
    },
  })
  await expect(one.twin.model.train()).rejects.toThrow('lost')
  Object.assign(group, { adopt })
  expect(await one.twin.model.train()).toMatchObject([{ outcome: 'learnt', version: 2 }])
  expect(one.threads).toHaveLength(2)
  const [newest] = await one.store.snapshots('weights', 'ren')
  expect(await partsOf(one.store, newest!)).toEqual([weightsOf(one)])
})

test('the end does not wait for ever, and what comes after it is refused', async () => {
  const arms = [{ name: 'ren', method: 'ren-g', settings: { fineTuneSteps: 1_000_000 } }]
  const one = await startTestTwin({ arms, store: await openFile() })
  await one.tell(itemsPut(20), ...visits(10, 20))
  await one.twin.model.rollBack(0)
  const begun = Promise.allSettled([one.twin.model.train(), one.twin.saveState()])
  await delay(50)
  await one.close()
  expect(await begun).toMatchObject([
    { reason: { code: 'worker-failed' } },
    { reason: { code: 'service-closed' } },
  ])
  await expect(one.twin.model.train()).rejects.toMatchObject({ code: 'service-closed' })
  expect(one.notices).toEqual([])
})

test('of a user who is forgotten nothing is saved any more', async () => {
  for (const store of [createMemoryStore(), await openFile()]) {
    const one = await startTestTwin({ store })
    await one.tell(itemsPut(5), ...visits(3, 5))
    expect(await savedState(one)).toContain('user-1')
    await one.forget('user-1')
    expect(await savedState(one)).not.toContain('user-1')
    expect(await savedState(one)).toContain('user-2')
    await one.tell(feedback('user-1', '1', 1, 9))
    expect(await savedState(one)).toContain('user-1')
    await one.close()
  }
})

test('a thread that dies when it is to forget somebody has forgotten them', async () => {
  const one = await startTestTwin({ store: await openFile() })
  await one.tell(itemsPut(5), ...visits(3, 5))
  await one.twin.saveState()
  const forgotten = one.forget('user-1')
  await one.threads[0]!.terminate()
  await forgotten
  await one.tell(feedback('user-2', '1', 1, 9))
  const text = await savedState(one)
  expect(text).not.toContain('user-1')
  expect(text).toContain('user-2')
})

test('a version that cannot be saved serves all the same, and is said to be unsaved', async () => {
  const store = createMemoryStore()
  const writeSnapshot = store.writeSnapshot.bind(store)
  let full = false
  const one = await startTestTwin({
    store: {
      ...store,
      writeSnapshot: async (...args) => {
        if (full) throw new Error('no space')
        return writeSnapshot(...args)
      },
    },
  })
  await one.tell(itemsPut(5), ...visits(3, 5))
  full = true
  expect(await one.twin.model.train()).toMatchObject([{ outcome: 'learnt', version: 1 }])
  expect(one.notices).toMatchObject([{ level: 'error' }])
  expect(one.twin.model.current()).toMatchObject([{ version: 1, available: false }])
})
