// Full training runs in a complete service.

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from 'ren-recommender'
import { createEngine } from 'ren-recommender/kernels'
import { createSequenceModel, gru4rec, saveModel } from 'ren-recommender/models'
import { describe, expect, test } from 'vitest'

import { closeServices, startService } from '../../../test/services.ts'
import { structuredHistories, structuredNames } from '../../../test/structured-log.ts'
import type { StructuredLog } from '../../../test/structured-log.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { InteractionLog } from '../../core/log.ts'
import { modelFileFrom } from '../../recommender/index.ts'
import { defaultBlend } from '../../relevance/index.ts'
import { createMemoryStore, type EventStore } from '../../storage/index.ts'
import { importLog } from '../log/import-events.ts'
import type { GroupQuality } from '../schemas/quality.ts'
import { readWhole } from '../state/restore.ts'
import type { LiveEvent, Service } from '../service.ts'
import type { FullTrainingSettings, LogMessage } from '../settings.ts'
import type { TrainingStatus } from '../schemas/model.ts'

closeServices()
const { folder } = temporaryFiles()

const log: StructuredLog = { users: 120, items: 60, length: 10 }
const interactions = log.users * log.length
const settings = { loss: 'softmax', dimension: 16, window: 12 }
const variants = [{ name: 'ren', method: 'ren-g', settings }]
const seldom = { everyEvents: Infinity, everySeconds: Infinity }

/** A service that often checks whether a run is due, and does not fine-tune. */
async function open(
  store: string | EventStore,
  changes: Partial<FullTrainingSettings> = {},
  given = variants,
) {
  const fullTraining = {
    everySeconds: 0.02,
    minInteractions: interactions,
    maxEpochs: 8,
    checkpointSeconds: 0,
    ...changes,
  }
  const names = structuredNames(log.items)
  const learning = { ...seldom, fullTraining }
  return startService({ store, variants: given, relevance: 'blend', learning }, names)
}

function generateInteractions(of = log) {
  const names = structuredNames(of.items)
  return structuredHistories(of).flatMap(({ items }, user) =>
    Array.from(items, (item) => ({ user: `user ${user}`, item: names[item]! })),
  )
}

function structuredInteractions(): InteractionLog {
  const histories = structuredHistories(log)
  const of = <T>(value: (user: number, step: number) => T): T[] =>
    histories.flatMap(({ items }, user) => Array.from(items, (_, step) => value(user, step)))
  return {
    users: Int32Array.from(of((user) => user)),
    items: Int32Array.from(of((user, step) => histories[user]!.items[step]!)),
    rewards: new Float32Array(interactions).fill(1),
    times: Float64Array.from(of((_, step) => 1000 * step)),
    userNames: histories.map((_, user) => `user ${user}`),
    itemNames: structuredNames(log.items),
  }
}

const recordLog = ({ record }: Service) => record(generateInteractions())

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false) return found
    await delay(5)
  }
}

const ofTraining = ({ message }: LogMessage): boolean => message.startsWith('full training')

const statusOf = ({ model }: Service): TrainingStatus | undefined => model.training()[0]
const reached = (service: Service, state: TrainingStatus['state']): Promise<TrainingStatus> =>
  until(() => {
    const status = statusOf(service)
    return status?.state === state && status
  })

describe('a full training run', () => {
  test('is not preceded by fine-tuning of a model that has no weight yet', async () => {
    const fineTuned = async (enabled: boolean): Promise<LiveEvent | null> => {
      const fullTraining = { enabled, everySeconds: 1000, minInteractions: interactions }
      const learning = { everyEvents: 100, everySeconds: 1000, fullTraining }
      const names = structuredNames(log.items)
      const given = { store: createMemoryStore(), variants, learning } as const
      const { service } = await startService({ ...given, relevance: 'blend' }, names)
      const learned = new Promise<LiveEvent>((resolve) => {
        service.subscribe((event) => event.kind === 'learning' && resolve(event))
      })
      await recordLog(service)
      return Promise.race([learned, delay(enabled ? 1500 : 15_000, null)])
    }
    expect(await fineTuned(false)).toMatchObject({ outcome: { outcome: 'trained', version: 1 } })
    expect(await fineTuned(true)).toBeNull()
  })

  test('starts automatically, reports progress, and its model serves if it ranks better', async () => {
    const { service, logMessages } = await open(createMemoryStore())
    const events: LiveEvent[] = []
    service.subscribe((event) => events.push(event))
    await recordLog(service)
    const status = await reached(service, 'done')
    expect(status).toMatchObject({ group: 'ren', share: 1, secondsLeft: null })
    expect(status.message).toMatch(/^version 1 serves after \d+ epochs: HR@10 of the model /)
    const [version] = service.model.current()
    expect(version).toMatchObject({ version: 1, origin: 'trained', heldOut: null })
    expect(version!.trainedOn).toBe(interactions)
    const { model, popularity } = version!.quality!
    expect(model.examples).toBeGreaterThan(20)
    expect(model.ndcg10).toBeGreaterThan(2 * popularity.ndcg10)
    const runs = events.flatMap((event) =>
      event.kind === 'training' && event.run !== undefined ? [event.run] : [],
    )
    expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(['waiting', 'running', 'done']))
    expect(Math.max(...runs.map(({ epoch }) => epoch))).toBeGreaterThan(1)
    expect(runs.some(({ validation }) => validation !== null)).toBe(true)
    expect(logMessages.filter(ofTraining)).toMatchObject([{ level: 'info' }])
    // The served weights are those of the version.
    const slate = await service.recommend({ user: 'user 1', count: 3 })
    expect(slate.modelVersion).toBe(1)
    // There are no new events.
    await delay(100)
    expect(statusOf(service)).toBe(status)
  }, 60_000)

  test('first fits memory and popularity to the log, which serve during its epochs', async () => {
    const store = createMemoryStore()
    await importLog(store, structuredInteractions())
    // Replayed events are not judged: no live interaction has fitted anything.
    const { service } = await open(store, { maxEpochs: 20 })
    expect(service.quality()[0]).toMatchObject({ live: null, heldOut: null, blend: defaultBlend })
    await until(() => statusOf(service)?.epoch === 1)
    const { heldOut, blend } = service.quality()[0]!
    expect(heldOut!.served.ndcg10).toBeGreaterThan(2 * heldOut!.popularity.ndcg10)
    expect(heldOut!.model.hr10).toBe(0)
    expect(blend!.weights).not.toEqual(defaultBlend.weights)
    expect(blend!.weights.model).toBe(0)
    await service.model.cancelTraining()
    await reached(service, 'canceled')
    expect(service.quality()[0]!.blend).toEqual(blend)
  }, 30_000)

  test('does not change the figures of the served model if it is canceled', async () => {
    const { service } = await open(createMemoryStore(), { enabled: false })
    await recordLog(service)
    await service.model.trainFully()
    await reached(service, 'done')
    const { heldOut, blend } = service.quality()[0]!
    expect(heldOut!.model.hr10).toBeGreaterThan(0)
    await service.model.trainFully()
    await until(() => statusOf(service)!.epoch > 0)
    await service.model.cancelTraining()
    await reached(service, 'canceled')
    expect(service.quality()[0]).toMatchObject({ heldOut, blend })
  }, 60_000)

  test('saves the figures of its model for the next start', async () => {
    const store = join(folder, 'figures.db')
    const { service } = await open(store)
    await recordLog(service)
    await reached(service, 'done')
    const [{ heldOut }] = service.quality() as [GroupQuality]
    expect(heldOut).toEqual(service.model.current()[0]!.quality)
    await service.close()
    const { service: next } = await open(store)
    expect(next.quality()[0]!.heldOut).toEqual(heldOut)
  }, 60_000)

  test('has the figures of the version that a rollback serves', async () => {
    const { service } = await open(createMemoryStore(), { enabled: false })
    await recordLog(service)
    await service.model.trainFully()
    await reached(service, 'done')
    const [{ heldOut, blend }] = service.quality() as [GroupQuality]
    await service.model.rollBack(0)
    expect(service.quality()[0]).toMatchObject({ heldOut: null })
    const version = await service.model.rollBack(1)
    expect(version).toMatchObject({ origin: 'rolled-back', quality: heldOut })
    expect(service.quality()[0]).toMatchObject({ heldOut, blend })
  }, 60_000)

  test('does not start automatically if that is disabled', async () => {
    const { service } = await open(createMemoryStore(), { enabled: false })
    await recordLog(service)
    await delay(200)
    expect(service.model.training()).toEqual([])
  }, 30_000)

  test('starts and is canceled on request, one run at a time', async () => {
    const { service } = await open(createMemoryStore(), { enabled: false, maxEpochs: 20 })
    await recordLog(service)
    const [started] = await service.model.trainFully()
    expect(started).toMatchObject({ group: 'ren', state: 'running' })
    const [again] = await service.model.trainFully('ren')
    expect(again!.startedAt).toBe(started!.startedAt)
    await until(() => statusOf(service)!.epoch > 0)
    await service.model.cancelTraining()
    const status = await reached(service, 'canceled')
    expect(status.message).toBe('the run was canceled')
    expect(service.model.current()).toMatchObject([{ version: 0, origin: 'start' }])
    expect(await service.store.snapshots('training', 'ren')).toEqual([])
    // It can be started again.
    await service.model.trainFully()
    await reached(service, 'running')
  }, 60_000)

  test('fails with a reason if the log is too small', async () => {
    const { service, logMessages } = await open(createMemoryStore(), { enabled: false })
    await service.record([{ user: 'ann', item: 'item 1' }])
    await service.model.trainFully()
    const status = await reached(service, 'failed')
    expect(status.message).toMatch('at least two users with two interactions each')
    expect(logMessages.filter(ofTraining)).toMatchObject([
      { level: 'warning', code: 'invalid-argument' },
    ])
  })

  test('learns from events that another process wrote just before the request', async () => {
    const { service } = await open(createMemoryStore(), { enabled: false, maxEpochs: 1 })
    // The learner thread has started: nothing delays the run.
    await service.model.train()
    await service.store.append(
      generateInteractions().map(({ user, item }) => ({
        event: { kind: 'interaction', user, item, reward: 1, time: 0 },
      })),
    )
    await service.model.trainFully()
    const status = await until(() => {
      const run = statusOf(service)!
      return run.state !== 'running' && run
    })
    expect(status).toMatchObject({ state: 'done' })
  })

  test('is refused for a group without a ranking loss', async () => {
    const other = [{ ...variants[0]!, settings: { ...settings, loss: 'squared-error' } }]
    const { service } = await open(createMemoryStore(), {}, other)
    await expect(service.model.trainFully()).rejects.toThrow('use loss softmax')
  })

  test('retains items that were added during the run, and learns from events during the run', async () => {
    const { service } = await open(createMemoryStore(), { enabled: false })
    await recordLog(service)
    await service.model.trainFully()
    await until(() => statusOf(service)!.epoch > 0)
    await service.items.put([{ item: 'late' }])
    const { position } = await service.record([{ user: 'user 1', item: 'late' }])
    await reached(service, 'done')
    const [version] = service.model.current()
    expect(version!.position).toBeLessThan(position)
    expect(service.items.get('late')).toMatchObject({ interactions: 1 })
    const slate = await service.recommend({ user: 'user 1', count: 1, candidates: ['late'] })
    expect(slate.items[0]!.item).toBe('late')
    expect(await service.model.train()).toMatchObject([{ outcome: 'trained' }])
    expect(service.model.current()).toMatchObject([
      { origin: 'fine-tuned', trainedOn: interactions },
    ])
  }, 60_000)
})

test('a run continues without the data of users who are erased meanwhile, from a checkpoint', async () => {
  const { service, logMessages } = await open(createMemoryStore(), { maxEpochs: 12 })
  const states: TrainingStatus[] = []
  service.subscribe((event) => {
    if (event.kind === 'training' && event.run) states.push(event.run)
  })
  await recordLog(service)
  await until(() => statusOf(service) && statusOf(service)!.epoch > 2)
  // Many erasures, at any time of an epoch, cost at most one restart per epoch.
  const end = reached(service, 'done')
  let erased = 0
  while (statusOf(service)!.state !== 'done' && erased < 60) {
    await service.users.erase(`user ${erased++}`)
    await delay(5)
  }
  await end
  const changes = states.filter(({ state }, i) => state !== states[i - 1]?.state)
  const starts = changes.filter(({ state }) => state === 'running').map(({ epoch }) => epoch)
  expect(starts.length).toBeGreaterThan(1)
  // Each part of the run starts after another epoch.
  expect(new Set(starts).size).toBe(starts.length)
  expect(starts).toEqual(starts.toSorted((a, b) => a - b))
  expect(service.model.current()).toMatchObject([{ origin: 'trained' }])
  expect(logMessages.filter(ofTraining)).toMatchObject([{ level: 'info' }])
}, 60_000)

describe('a run with a model file and few users', () => {
  /** Enough to judge the file, and too few to fit its weights. */
  const few = { ...log, users: 60 }

  const fullTraining = { everySeconds: 0.02, minInteractions: 600, maxEpochs: 6 }

  /** A store with the log and the result of a run. */
  async function serve(modelFile?: Uint8Array) {
    const store = createMemoryStore()
    const names = structuredNames(few.items)
    const common = { store, variants, relevance: 'blend' } as const
    const { service: first } = await startService(common, names)
    await first.record(generateInteractions(few))
    await first.close()
    const learning = { ...seldom, fullTraining }
    const { service } = await startService({ ...common, learning, ...(modelFile && { modelFile }) })
    const [version] = service.model.current()
    const { message } = await reached(service, 'done')
    return { service, message, version }
  }

  test('does not replace the file if the new model is only as good', async () => {
    const { service: source } = await serve()
    const [trained] = await source.store.snapshots('weights', 'ren')
    const file = modelFileFrom(await readWhole(source.store, trained!))
    const { service, message, version } = await serve(file)
    expect(version).toMatchObject({ version: 1, origin: 'imported' })
    expect(message).toMatch(/^version 1 still serves after .* beyond noise/)
    expect(service.model.current()).toMatchObject([{ version: 1, origin: 'imported' }])
  }, 60_000)

  test('serves after a file that ranks nothing was refused', async () => {
    const architecture = gru4rec({ dimension: 16, window: 12 })
    const random = createRandom(1)
    const model = createSequenceModel(await createEngine(), architecture, few.items, random)
    const file = saveModel({ model, itemNames: structuredNames(few.items) })
    const refused = await serve(file)
    expect(refused.version).toMatchObject({ version: 0, origin: 'start' })
    expect(refused.message).toMatch(/^version 1 serves/)
  }, 60_000)
})

describe('a service that restarts in the middle of a run', () => {
  test('continues from the last checkpoint, and closes in time', async () => {
    const store = join(folder, 'restart.db')
    const first = await open(store, { maxEpochs: 12 })
    await recordLog(first.service)
    await until(() => statusOf(first.service) && statusOf(first.service)!.epoch > 3)
    const { startedAt } = statusOf(first.service)!
    const before = performance.now()
    await first.service.close()
    expect(performance.now() - before).toBeLessThan(5000)
    const again = await open(store, { maxEpochs: 12 })
    const events: TrainingStatus[] = []
    again.service.subscribe((event) => {
      if (event.kind === 'training' && event.run) events.push(event.run)
    })
    await reached(again.service, 'done')
    expect(statusOf(again.service)!.startedAt).toBe(startedAt)
    const epochs = events.filter(({ share }) => share > 0).map(({ epoch }) => epoch)
    expect(Math.min(...epochs)).toBeGreaterThan(2)
    expect(again.service.model.current()).toMatchObject([{ origin: 'trained' }])
    expect(await again.service.store.snapshots('training', 'ren')).toEqual([])
    const { blend } = again.service.quality()[0]!
    expect(blend!.weights).not.toEqual(defaultBlend.weights)
    const ended = statusOf(again.service)
    await again.service.close()
    // The run has ended: the next start does not continue it, shows its outcome, and serves the same.
    const last = await open(store, { maxEpochs: 12 })
    await delay(200)
    expect(last.service.model.training()).toEqual([ended])
    expect(last.service.quality()[0]!.blend).toEqual(blend)
  }, 60_000)

  test('does not repeat a run that was canceled, until the settings change', async () => {
    const store = join(folder, 'canceled.db')
    const first = await open(store, { maxEpochs: 50 })
    await recordLog(first.service)
    await reached(first.service, 'running')
    await first.service.model.cancelTraining()
    const ended = await reached(first.service, 'canceled')
    await first.service.close()
    const again = await open(store)
    expect(again.service.model.training()).toEqual([ended])
    await delay(200)
    expect(again.service.model.training()).toEqual([ended])
    await again.service.close()
    const wider = [{ ...variants[0]!, settings: { ...settings, dimension: 12 } }]
    const changed = await open(store, {}, wider)
    await reached(changed.service, 'running')
  }, 60_000)

  test('starts over if the settings have changed', async () => {
    const store = join(folder, 'changed.db')
    const first = await open(store)
    await recordLog(first.service)
    await until(() => statusOf(first.service) && statusOf(first.service)!.epoch > 2)
    await first.service.close()
    const wider = [{ ...variants[0]!, settings: { ...settings, dimension: 12 } }]
    const again = await open(store, {}, wider)
    const running = await reached(again.service, 'running')
    expect(running.epoch).toBeLessThan(2)
    await reached(again.service, 'done')
  }, 60_000)
})
