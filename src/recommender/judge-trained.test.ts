import { beforeAll, describe, expect, it } from 'vitest'

import { structuredHistories, structuredNames } from '../../test/structured-log.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { finish, gru4rec, saveModel } from '../models/index.ts'
import { defaultRecipe } from '../models/training/default-recipe.ts'
import { defaultBlend } from '../relevance/index.ts'
import { trainOnLog, type TrainedModel } from './full-training.ts'
import { qualityOf } from '../relevance/index.ts'
import { holdOutLatest, modelRanks } from './held-out.ts'
import { judgeTrainedModel } from './judge-model.ts'

const log = { users: 200, items: 60, length: 12 }
const itemNames = structuredNames(log.items)

describe('the judge of a full training run', () => {
  let engine: Engine
  let trained: TrainedModel
  beforeAll(async () => {
    engine = await createEngine()
    trained = finish(
      trainOnLog({
        engine,
        architecture: gru4rec({ dimension: 16, window: 12 }),
        itemNames,
        heldOut: holdOutLatest(structuredHistories(log), { random: createRandom(1) }),
        recipe: { ...defaultRecipe(log.items), epochs: 10, batchSize: 8 },
        random: createRandom(1),
        clock: () => 0,
      }),
    )
  }, 60_000)

  const judge = (model: TrainedModel, served: Uint8Array) =>
    judgeTrainedModel(engine, model, served)

  /** The trained model with other weights. */
  function changed(change: (values: Float32Array) => void): TrainedModel {
    const { model, itemNames: names } = { model: trained.model, itemNames }
    const copies = model.parameters.map(({ value }) => value.values.slice())
    for (const { value } of model.parameters) change(value.values)
    const validation = qualityOf(modelRanks(model, trained.heldOut))
    const file = saveModel({ model, itemNames: names })
    for (const [i, { value }] of model.parameters.entries()) value.values.set(copies[i]!)
    return { ...trained, validation, file }
  }

  const constant = () => changed((values) => values.fill(0))
  const shuffled = () => changed((values) => createRandom(3).shuffle(values))

  it('adopts a model that ranks better than the served one', () => {
    const { better, after, before } = judge(trained, constant().file)
    expect(better).toBe(true)
    expect(after.ndcg10).toBeGreaterThan(0.3)
    expect(before.ndcg10).toBe(0)
    expect(judge(trained, shuffled().file).better).toBe(true)
  })

  it('replaces a model file only if the new model is better beyond noise', () => {
    const judgeChosen = (model: TrainedModel, served: Uint8Array) =>
      judgeTrainedModel(engine, model, served, true)
    // An equally good model replaces one that the service trained.
    expect(judge(trained, trained.file).better).toBe(true)
    const { better, refusal } = judgeChosen(trained, trained.file)
    expect(better).toBe(false)
    expect(refusal).toMatch(/beyond noise/)
    expect(judgeChosen(trained, constant().file).better).toBe(true)
    expect(judgeChosen(trained, shuffled().file).better).toBe(true)
  })

  it('always refuses a constant model', () => {
    expect(judge(constant(), constant().file).better).toBe(false)
    expect(judge(constant(), trained.file).better).toBe(false)
  })

  it('refuses to replace a good model by one with shuffled weights', () => {
    expect(judge(shuffled(), trained.file).better).toBe(false)
  })

  it('fits a blend that ranks far above popularity, as the model does', () => {
    const { blend, quality } = judge(trained, constant().file)
    expect(blend.weights).not.toEqual(defaultBlend.weights)
    expect(quality.served.ndcg10).toBeGreaterThan(2 * quality.popularity.ndcg10)
    expect(quality.model.ndcg10).toBeGreaterThan(2 * quality.popularity.ndcg10)
  })
})
