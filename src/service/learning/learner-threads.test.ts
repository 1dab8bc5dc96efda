// Learners with real threads and files whose threads die, end or erase users.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

import { temporaryFiles } from '../../../test/temporary-files.ts'
import {
  closeLearners,
  feedback,
  itemsPut,
  startTestLearner,
  visits,
  type TestLearner,
} from '../../../test/learners.ts'
import { createMemoryStore, openSqliteStore, type EventStore } from '../../storage/index.ts'
import { completeSettings } from '../complete-settings.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { restoreGroups } from '../state/restore.ts'

closeLearners()
const { folder } = temporaryFiles()
let files = 0
const openFile = (): Promise<EventStore> => openSqliteStore(join(folder, `log-${files++}.db`))

const weightsOf = ({ groups }: TestLearner): Uint8Array => groups[0]!.recommender.saveWeights()

/** The bytes as text, to search for names of users. */
async function savedState({ learner, store }: TestLearner): Promise<string> {
  await learner.saveState()
  const [newest] = await store.snapshots('state', 'ren')
  return Buffer.concat(await Array.fromAsync(store.readSnapshot(newest!.id))).toString('latin1')
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5)
}

const smallVariants = [{ name: 'ren', method: 'ren-g', settings: { dimension: 4 } }]
const embeddingsOf = ({ recommender }: Pick<ModelGroup, 'recommender'>): Float32Array =>
  recommender.model.itemEmbeddings.values.slice()

async function embeddingsAfterRestart({ store, groups }: TestLearner): Promise<Float32Array> {
  const { engine } = groups[0]!.recommender.model
  const settings = completeSettings({ store, variants: smallVariants })
  const [restored] = await restoreGroups({ engine, store, settings, logMessage: () => {} })
  return embeddingsOf(restored!.group)
}

test('a killed thread is replaced, and catches up with the main thread', async () => {
  for (const store of [createMemoryStore(), await openFile()]) {
    const one = await startTestLearner({ store })
    await one.report(itemsPut(20), ...visits(10, 20))
    await one.learner.model.train()
    const like = ['0', '1']
    await one.report({ kind: 'items-put', time: 0, items: [{ item: 'new', like }] })
    await one.learner.saveState()
    await one.report({ kind: 'items-put', time: 0, items: [{ item: 'newer', like }] })
    await one.report(...visits(4, 20))
    await one.threads[0]!.terminate()
    expect(one.logMessages).toMatchObject([{ level: 'warning', code: 'worker-failed' }])
    await one.learner.saveState()
    expect(await embeddingsAfterRestart(one)).toEqual(embeddingsOf(one.groups[0]!))
    expect(await one.learner.model.train()).toMatchObject([{ outcome: 'trained', version: 2 }])
    expect(one.threads).toHaveLength(2)
    const [newest] = await store.snapshots('weights', 'ren')
    expect(await Array.fromAsync(store.readSnapshot(newest!.id))).toEqual([weightsOf(one)])
    await one.close()
  }
})

test('calls fail if their thread dies, but an erasure still happens', async () => {
  const variants = [{ name: 'ren', method: 'ren-g', settings: { fineTuneSteps: 5000 } }]
  const one = await startTestLearner({ variants, store: await openFile() })
  await one.report(itemsPut(20), ...visits(10, 20))
  await one.learner.model.rollBack(0)
  const before = weightsOf(one)
  const training = one.learner.model.train()
  await delay(50)
  await one.threads[0]!.terminate()
  await expect(training).rejects.toMatchObject({ code: 'worker-failed' })
  expect(weightsOf(one)).toEqual(before)
  await one.learner.saveState()
  expect(await one.store.snapshots('state', 'ren')).toMatchObject([{ position: 31 }])
  const erased = one.eraseUser('user-1')
  await one.threads[1]!.terminate()
  await erased
  await one.report(feedback('user-2', '1', 1, 9))
  const text = await savedState(one)
  expect(text).not.toContain('user-1')
  expect(text).toContain('user-2')
})

test('an update that cannot be saved or applied does not serve, is logged, and is repeated', async () => {
  const store = createMemoryStore()
  let full = true
  const writeSnapshot: EventStore['writeSnapshot'] = async (snapshot, parts) => {
    if (full && snapshot.position > 0) throw new Error('no space')
    return store.writeSnapshot(snapshot, parts)
  }
  const one = await startTestLearner({
    store: { ...store, writeSnapshot },
    learning: { everyEvents: 31 },
  })
  const group = one.groups[0]!
  const { adopt } = group
  await one.report(itemsPut(20), ...visits(10, 20))
  await until(() => one.logMessages.length > 0)
  const message = 'learning for ren failed: no space'
  expect(one.logMessages).toEqual([{ level: 'error', message }])
  expect(one.learner.problems).toEqual(['the last update of ren failed: no space'])
  expect(one.learner.model.current()).toMatchObject([{ version: 0 }])
  full = false
  Object.assign(group, {
    adopt() {
      throw new Error('lost')
    },
  })
  await expect(one.learner.model.train()).rejects.toThrow('lost')
  Object.assign(group, { adopt })
  expect(await one.learner.model.train()).toMatchObject([{ outcome: 'trained', version: 2 }])
  expect(one.learner.problems).toEqual([])
  expect(one.threads).toHaveLength(3)
  const [newest] = await one.store.snapshots('weights', 'ren')
  expect(await Array.fromAsync(one.store.readSnapshot(newest!.id))).toEqual([weightsOf(one)])
})

test('closing does not wait forever, and later calls are refused', async () => {
  const variants = [{ name: 'ren', method: 'ren-g', settings: { fineTuneSteps: 1_000_000 } }]
  const one = await startTestLearner({ variants, store: await openFile() })
  await one.report(itemsPut(20), ...visits(10, 20))
  await one.learner.model.rollBack(0)
  const begun = Promise.allSettled([one.learner.model.train(), one.learner.saveState()])
  await delay(50)
  await one.close()
  expect(await begun).toMatchObject([
    { reason: { code: 'worker-failed' } },
    { reason: { code: 'service-closed' } },
  ])
  await expect(one.learner.model.train()).rejects.toMatchObject({ code: 'service-closed' })
  expect(one.logMessages).toEqual([])
})

test('nothing of an erased user is saved', async () => {
  for (const store of [createMemoryStore(), await openFile()]) {
    const one = await startTestLearner({ store })
    await one.report(itemsPut(5), ...visits(3, 5))
    expect(await savedState(one)).toContain('user-1')
    await one.eraseUser('user-1')
    expect(await savedState(one)).not.toContain('user-1')
    expect(await savedState(one)).toContain('user-2')
    await one.report(feedback('user-1', '1', 1, 9))
    expect(await savedState(one)).toContain('user-1')
    // Another process erases a user, and this process has not received the erasure.
    await store.eraseUser({ user: 'user-2', time: 0, variantOf: () => 'ren' })
    await expect(one.learner.saveState()).rejects.toMatchObject({ code: 'snapshot-outdated' })
    await one.close()
  }
})

test('a process whose learner thread has ended continues until its service is closed', async () => {
  const [script, store] = [join(folder, 'script.mjs'), join(folder, 'killed.db')]
  await writeFile(
    script,
    `import { openService } from '${new URL('../index.ts', import.meta.url).href}'
    const threads = []
    process.on('worker', (thread) => threads.push(thread))
    const variants = ${JSON.stringify(smallVariants)}
    const service = await openService({ store: ${JSON.stringify(store)}, variants, onLogMessage() {} })
    await service.items.put([{ item: 'a' }])
    await service.model.train()
    await threads.at(-1).terminate()
    await service.close()
    console.log('closed')`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  expect(stdout).toBe('closed\n')
})
