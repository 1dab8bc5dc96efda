// Broken models: the evaluation refuses them, and the previous model continues to serve.

import { setImmediate } from 'node:timers/promises'
import { createEngine } from 'ren-recommender/kernels'
import type { Engine } from 'ren-recommender/kernels'
import { createMemoryStore } from 'ren-recommender/storage'
import type { EventStore } from 'ren-recommender/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../src/core/random.ts'
import { modelContents } from '../src/models/files/model-file.ts'
import { readSafetensors, writeSafetensors } from '../src/models/files/safetensors.ts'
import { finish, gru4rec, loadModel } from '../src/models/index.ts'
import { defaultRecipe } from '../src/models/training/default-recipe.ts'
import { trainOnLog } from '../src/recommender/full-training.ts'
import { holdOutLatest, unpackHistories, modelRanks } from '../src/recommender/held-out.ts'
import { qualityOf } from '../src/relevance/index.ts'
import { judgeTrainedModel } from '../src/recommender/judge-model.ts'
import type { Service } from '../src/service/service.ts'
import type { TrainingStart, TrainInThread } from '../src/service/training/training-thread.ts'
import { closeLearners, startTestLearner } from './learners.ts'
import { closeServices, copyOfLog, startService } from './services.ts'
import { structuredHistories, structuredNames } from './structured-log.ts'

closeServices()
closeLearners()

// Chains of 20 items are longer than the window of the transition memory, so that a model adds to it.
const log = { users: 200, items: 60, length: 12, chain: 20 }
const names = structuredNames(log.items)
const histories = structuredHistories(log)
const [dimension, window] = [16, 12]
const variants = [
  { name: 'ren', method: 'ren-g', settings: { loss: 'softmax', dimension, window } },
]

let engine: Engine
let trained: Uint8Array
let store: EventStore

beforeAll(async () => {
  engine = await createEngine()
  const training = trainOnLog({
    engine,
    architecture: gru4rec({ dimension, window }),
    itemNames: names,
    heldOut: holdOutLatest(histories, { random: createRandom(1) }),
    recipe: { ...defaultRecipe(log.items), epochs: 10, batchSize: 8 },
    random: createRandom(1),
    clock: () => 0,
  })
  trained = finish(training).file
  store = createMemoryStore()
  const { service } = await startService({ store, variants, relevance: 'blend' }, names)
  const events = histories.flatMap(({ items }, user) =>
    Array.from(items, (item) => ({ user: `user ${user}`, item: names[item]! })),
  )
  await service.record(events)
  await service.close()
}, 60_000)

afterAll(() => engine.close())

type Change = (values: Float32Array) => void

const breaks: readonly (readonly [name: string, change: Change])[] = [
  ['constant', (values) => values.fill(0)],
  ['NaN', (values) => values.fill(Number.NaN, 0, 5)],
  ['shuffled', (values) => createRandom(3).shuffle(values)],
]

/** The trained model file with other weights. */
function changed(change: Change): Uint8Array<ArrayBuffer> {
  const { tensors, metadata } = readSafetensors(trained)
  const file = readSafetensors(trained)
  const other = Array.from(tensors.keys(), (name) => {
    const data = file.floats(name).slice()
    change(data)
    return [name, { shape: file.shape(name), data }] as const
  })
  return writeSafetensors({ tensors: new Map(other), metadata })
}

/** Slates of some users, without exploration. */
async function slatesOf({ recommend }: Pick<Service, 'recommend'>): Promise<string[][]> {
  const slates: string[][] = []
  for (let user = 0; user < 20; user++) {
    const request = { user: `user ${user}`, count: 10, exploration: { weight: 0 }, record: false }
    const { items } = await recommend(request)
    for (const { score, relevance } of items) {
      expect([score, relevance].every(Number.isFinite)).toBe(true)
    }
    slates.push(items.map(({ item }) => item))
  }
  return slates
}

describe('a model file', () => {
  const open = async (modelFile?: Uint8Array) =>
    startService({
      store: await copyOfLog(store),
      variants,
      relevance: 'blend',
      ...(modelFile && { modelFile }),
    })

  let without: string[][]
  beforeAll(async () => {
    without = await slatesOf((await open()).service)
  }, 30_000)

  it.each(breaks)(
    'that is broken (%s) is refused, and the transition memory serves',
    async (_, change) => {
      const { service, logMessages } = await open(changed(change))
      expect(await slatesOf(service)).toEqual(without)
      expect(service.model.current()).toMatchObject([{ version: 0, origin: 'start' }])
      const messages = logMessages.map(({ level, message }) => `${level}: ${message}`)
      expect(messages).toContainEqual(expect.stringMatching(/^warning: the model file is refused/))
      expect(service.health().problems).toContainEqual(
        expect.stringMatching(/model file is refused/),
      )
    },
  )

  it.each(breaks)('that is broken (%s) is refused in a log of 80 users', async (_, change) => {
    const few = createMemoryStore()
    const { service: first } = await startService(
      { store: few, variants, relevance: 'blend' },
      names,
    )
    const events = histories
      .slice(0, 80)
      .flatMap(({ items }, user) =>
        Array.from(items, (item) => ({ user: `user ${user}`, item: names[item]! })),
      )
    await first.record(events)
    await first.close()
    const openFew = async (modelFile: Uint8Array) =>
      startService({ store: await copyOfLog(few), variants, relevance: 'blend', modelFile })
    const { service } = await openFew(changed(change))
    expect(service.model.current()).toMatchObject([{ version: 0, origin: 'start' }])
    const { service: good } = await openFew(trained)
    expect(good.model.current()).toMatchObject([{ version: 1, origin: 'imported' }])
  })

  it('that ranks well is served', async () => {
    const { service } = await open(trained)
    expect(service.model.current()).toMatchObject([{ version: 1, origin: 'imported' }])
  })
})

/** A training run with replaced weights; everything else is real, including the evaluation. */
function trainingWith(change: Change, judge?: { readonly better: true }): TrainInThread {
  return async (start) => {
    await setImmediate()
    return resultOf(start, change, judge)
  }
}

function resultOf(start: TrainingStart, change: Change, judge?: { readonly better: true }) {
  const { itemNames, histories: packed, served } = start
  const random = createRandom(start.seed)
  const heldOut = holdOutLatest(unpackHistories(packed), { keys: packed.keys, random })
  const { model } = loadModel(engine, trained)
  const weights = writeSafetensors(modelContents({ model, itemNames }))
  for (const { value } of model.parameters) change(value.values)
  const validation = qualityOf(modelRanks(model, heldOut))
  const result = { model, file: weights, epochs: 1, loss: 1, validation, heldOut }
  const judgment = { ...judgeTrainedModel(engine, result, served), ...judge }
  return { weights: changed(change), epochs: 1, loss: 1, judgment }
}

describe('a full training run', () => {
  const open = async (trainFully: TrainInThread) => {
    const learning = { fullTraining: { enabled: false } }
    const settings = {
      store: await copyOfLog(store),
      variants,
      relevance: 'blend',
      learning,
    } as const
    return startTestLearner(settings, { trainFully })
  }
  type Opened = Awaited<ReturnType<typeof open>>

  function slates({ groups }: Opened): unknown {
    const { recommender } = groups[0]!
    return Array.from({ length: 20 }, (_, user) => {
      const { items } = recommender.recommend({ user: `user ${user}`, count: 10 })
      expect(items.every(({ score }) => Number.isFinite(score))).toBe(true)
      return items.map(({ item }) => item)
    })
  }

  async function ended({ learner }: Opened) {
    await learner.model.trainFully()
    const state = () => learner.model.training()[0]!.state
    await expect.poll(state, { timeout: 20_000 }).toMatch(/^(done|failed)$/)
    return learner.model.training()[0]!
  }

  it.each(breaks)(
    'that is broken (%s) is refused, and the previous model serves',
    async (_, change) => {
      const test = await open(trainingWith(change))
      const before = slates(test)
      expect(await ended(test)).toMatchObject({
        message: expect.stringMatching(/^version 0 still serves/),
      })
      expect(slates(test)).toEqual(before)
      expect(test.versions).toEqual([])
    },
  )

  it('with weights that are not finite never serves, even if the evaluation accepts it', async () => {
    const test = await open(trainingWith((values) => values.fill(NaN, 0, 5), { better: true }))
    const before = slates(test)
    expect(await ended(test)).toMatchObject({ state: 'failed' })
    expect(slates(test)).toEqual(before)
    // Only the initial weights are saved.
    expect(await test.store.snapshots('weights', 'ren')).toMatchObject([{ about: { version: 0 } }])
  })

  it('with a good model is served', async () => {
    const test = await open(trainingWith(() => {}))
    expect(await ended(test)).toMatchObject({ message: expect.stringMatching(/^version 1 serves/) })
  })
})
