// The learner with real threads and files.

import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { temporaryFiles } from '../../../test/temporary-files.ts'
import {
  closeLearners,
  feedback,
  itemsPut,
  served,
  startTestLearner,
  visits,
  type TestLearner,
} from '../../../test/learners.ts'
import { openSqliteStore, type EventStore } from '../../storage/index.ts'
import type { TrainInThread } from '../training/training-thread.ts'

closeLearners()
const { folder } = temporaryFiles()
let files = 0
const openFile = (): Promise<EventStore> => openSqliteStore(join(folder, `log-${files++}.db`))

const weightsOf = ({ groups }: TestLearner): Uint8Array => groups[0]!.recommender.saveWeights()

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5)
}

test('feedback changes the served weights, which equal the saved ones', async () => {
  const store = await openFile()
  const one = await startTestLearner({ store })
  await one.report(itemsPut(20), ...visits(10, 20))
  const before = weightsOf(one)
  const [outcome] = await one.learner.model.train()
  expect(outcome).toMatchObject({ group: 'ren', outcome: 'trained', version: 1 })
  expect(outcome!.swapMs).toBeGreaterThan(0)
  expect(weightsOf(one)).not.toEqual(before)
  const [newest] = await store.snapshots('weights', 'ren')
  expect(newest).toMatchObject({ position: 31, about: { version: 1, origin: 'fine-tuned' } })
  expect(await Array.fromAsync(store.readSnapshot(newest!.id))).toEqual([weightsOf(one)])
  expect(one.versions).toMatchObject([{ version: 1, position: 31, available: true }])
  expect(one.outcomes).toEqual([outcome])
  // Without new events, nothing is learned or reported.
  const again = await one.learner.model.train()
  expect(again).toMatchObject([{ outcome: 'nothing-new', version: 1, loss: null, swapMs: null }])
  expect(one.outcomes).toHaveLength(1)
})

test('a full training run gets what users left in answered slates, and in settled ones', async () => {
  const left: unknown[] = []
  const trainFully: TrainInThread = ({ histories }) => {
    const { left: packed } = histories
    left.push(packed && [...packed.items].map((item, i) => [packed.after[i], item]))
    return Promise.reject(new Error('only the data counts'))
  }
  const settings = { dimension: 4, loss: 'ranking' }
  const variants = [{ name: 'ren', method: 'ren-g', settings }]
  const given = { variants, relevance: 'blend', attributionWindow: 1000 } as const
  const one = await startTestLearner({ ...given, learning: { tolerance: 100 } }, { trainFully })
  const { model } = one.learner
  const run = async (): Promise<void> => {
    await model.trainFully()
    await until(() => model.training()[0]!.state === 'failed')
  }
  const { time } = one
  await one.report(itemsPut(20), feedback('ann', '0', 1, time), feedback('ann', '1', 1, time))
  await run()
  await one.report(served('ann', ['2', '3'], time), feedback('ann', '3', 1, time))
  await one.report(served('ann', ['4', '5'], time), feedback('ann', '6', 1, time))
  await run()
  one.time += 2000
  await model.train()
  await run()
  const answered = [[2, 2]]
  expect(left).toEqual([null, answered, [...answered, [3, 4], [3, 5]]])
})

test('an update reports its start, its progress and its end', async () => {
  const variants = ['ren', 'other'].map((name) => {
    return { name, method: 'ren-g', settings: { fineTuneSteps: 300 } }
  })
  const one = await startTestLearner({ variants, learning: { tolerance: 100 } })
  await one.report(itemsPut(200), ...visits(60, 200))
  await one.learner.model.train('ren')
  expect(one.training.map(({ group }) => group)).toEqual(one.training.map(() => 'ren'))
  const shares = one.training.map(({ share }) => share)
  expect([shares[0], shares.at(-1)]).toEqual([0, 1])
  expect(shares.length).toBeGreaterThan(2)
  expect(shares).toEqual([...new Set(shares)].toSorted((a, b) => a - b))
  // Without new events, no update begins.
  await one.learner.model.train('ren')
  expect(one.training).toHaveLength(shares.length)
})

test('an update reports its end also if its thread dies', async () => {
  const variants = [{ name: 'ren', method: 'ren-g', settings: { fineTuneSteps: 2000 } }]
  const one = await startTestLearner({ variants })
  await one.report(itemsPut(300), ...visits(60, 300))
  const learning = one.learner.model.train().catch(() => null)
  await until(() => one.training.length > 0)
  await one.threads[0]!.terminate()
  expect(await learning).toBe(null)
  expect(one.training.at(-1)).toEqual({ group: 'ren', share: 1 })
})

test('training continues until no user waits, and the list says which weights are available', async () => {
  const one = await startTestLearner({
    learning: { maxUsers: 4 },
    snapshots: { maxModelVersions: 2 },
  })
  await one.report(itemsPut(10), ...visits(10, 10))
  await one.learner.model.train()
  expect(one.outcomes.map(({ outcome }) => outcome)).toEqual(['trained', 'trained', 'trained'])
  expect(one.groups[0]!.version).toBe(3)
  const all = await one.learner.model.versions()
  expect(all.map(({ version, available }) => [version, available])).toEqual([
    [3, true],
    [2, false],
    [1, false],
    [0, true],
  ])
  const readable = (await one.store.snapshots('weights', 'ren')).filter((info) => info.readable)
  expect(readable.map(({ about }) => about['version'])).toEqual([3, 0])
  await expect(one.learner.model.rollBack(1)).rejects.toMatchObject({ code: 'not-found' })
})

test('the main thread is not blocked while the learner learns', async () => {
  const variants = [{ name: 'ren', method: 'ren-g', settings: { fineTuneSteps: 200 } }]
  const one = await startTestLearner({ variants, learning: { tolerance: 100 } })
  await one.report(itemsPut(500), ...visits(100, 500))
  await one.learner.model.rollBack(0)
  const before = performance.eventLoopUtilization()
  const [outcome] = await one.learner.model.train()
  const { utilization, active, idle } = performance.eventLoopUtilization(before)
  expect(outcome).toMatchObject({ outcome: 'trained' })
  expect(active + idle).toBeGreaterThan(100)
  expect(utilization).toBeLessThan(0.3)
})

test('a harmful update is refused and reported, and the old weights still serve', async () => {
  const variants = [
    { name: 'ren', method: 'ren-g', settings: { dimension: 4, rate: 1e5, fineTuneSteps: 20 } },
  ]
  const one = await startTestLearner({ variants, store: await openFile() })
  await one.report(itemsPut(20), ...visits(20, 20))
  const before = weightsOf(one)
  const [outcome] = await one.learner.model.train()
  expect(outcome).toMatchObject({ outcome: 'refused', version: 0, loss: null, swapMs: null })
  expect(outcome!.reason).toMatch(/rose from|finite/)
  expect(one.logMessages.map(({ message }) => message)).toEqual([
    `an update of ren was refused: ${outcome!.reason}`,
  ])
  expect(one.outcomes).toEqual([outcome])
  expect(one.versions).toEqual([])
  expect(weightsOf(one)).toEqual(before)
  expect(await one.learner.model.versions()).toHaveLength(1)
})

test('shown items without interactions train with reward 0 after the attribution window', async () => {
  const one = await startTestLearner({ attributionWindow: 1000 })
  one.time = 5000
  await one.report(itemsPut(5), served('ann', ['0', '1'], 5000))
  expect(await one.learner.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
  one.time = 5999
  expect(await one.learner.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
  one.time = 6000
  expect(await one.learner.model.train()).toMatchObject([{ outcome: 'trained' }])
  expect(await one.learner.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
})

test('an update runs after a time, without events after the slate', async () => {
  let [time, looks] = [1_000_000, 0]
  const clock = (): number => {
    looks += 1
    return time
  }
  const learning = { everySeconds: 0.02 }
  const one = await startTestLearner({ attributionWindow: 1000, learning, clock })
  await one.report(itemsPut(5), served('ann', ['0', '1'], time))
  // Each update reads the clock once, and begins when the previous one has ended.
  const before = looks
  await until(() => looks >= before + 3)
  expect(one.outcomes).toEqual([])
  time += 1000
  await until(() => one.outcomes.length > 0)
  expect(one.outcomes).toMatchObject([{ outcome: 'trained', version: 1 }])
})

test('an update and a snapshot run after a number of events', async () => {
  const one = await startTestLearner({
    learning: { everyEvents: 5 },
    snapshots: { everyEvents: 8, maxStates: 1 },
  })
  await one.report(itemsPut(5), ...visits(1, 5))
  await one.report(feedback('ann', '2', 1, 7))
  await until(() => one.outcomes.length === 1)
  await one.report(...visits(3, 5))
  await until(() => one.outcomes.length === 2)
  // The four earlier events did not cause an update.
  expect(one.versions.map(({ position }) => position)).toEqual([5, 14])
  await one.learner.saveState()
  const states = await one.store.snapshots('state', 'ren')
  expect(states.map(({ position }) => position)).toEqual([14])
})

test('a rollback serves an earlier version as a new one, also after a restart', async () => {
  const store = await openFile()
  const one = await startTestLearner({ store })
  await one.report(itemsPut(20), ...visits(10, 20))
  await one.learner.model.train()
  const first = one.groups[0]!.recommender.model.itemEmbeddings.values.slice()
  await one.report(...visits(15, 20).toReversed())
  await one.learner.model.train()
  expect(one.groups[0]!.recommender.model.itemEmbeddings.values).not.toEqual(first)
  const version = await one.learner.model.rollBack(1)
  expect(version).toMatchObject({ version: 3, origin: 'rolled-back', available: true })
  expect(one.groups[0]!.recommender.model.itemEmbeddings.values).toEqual(first)
  expect(one.learner.model.current()).toEqual([version])
  expect(one.versions.at(-1)).toEqual(version)
  const all = await one.learner.model.versions()
  expect(all.map((other) => [other.version, other.origin])).toEqual([
    [3, 'rolled-back'],
    [2, 'fine-tuned'],
    [1, 'fine-tuned'],
    [0, 'start'],
  ])
  // Events that were learned in between do not count as new again.
  expect(await one.learner.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
  await expect(one.learner.model.rollBack(9)).rejects.toMatchObject({ code: 'not-found' })
  await expect(one.learner.model.rollBack(1, 'unknown')).rejects.toMatchObject({
    code: 'not-found',
  })
  await one.learner.saveState()
  await one.report(...visits(3, 20))
  const newest = weightsOf(one)
  await one.close()
  const two = await startTestLearner({ store })
  expect(two.learner.model.current()).toMatchObject([{ version: 3, origin: 'rolled-back' }])
  expect(weightsOf(two)).toEqual(newest)
  expect(await two.learner.model.train()).toMatchObject([{ outcome: 'trained', version: 4 }])
})
