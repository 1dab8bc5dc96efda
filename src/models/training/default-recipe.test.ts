import { describe, expect, it } from 'vitest'

import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import { createArchitecture } from '../architectures.ts'
import { createSequenceModel } from '../sequence-model.ts'
import { defaultRecipe, maxItemsForSoftmax } from './default-recipe.ts'
import { finish, train } from './train.ts'

/** Users who cycle through the first six items of a catalog. */
const histories = Array.from({ length: 320 }, (_, user) => ({
  items: Int32Array.from({ length: 8 }, (_event, event) => (user + event) % 6),
  rewards: new Float32Array(8).fill(1),
  times: Float64Array.from({ length: 8 }, (_event, event) => event),
}))

async function lossAfter(itemCount: number, epochs: number): Promise<number> {
  const engine = await createEngine()
  const recipe = defaultRecipe(itemCount)
  const architecture = createArchitecture(recipe.architecture)
  const model = createSequenceModel(engine, architecture, itemCount, createRandom(1))
  const support = Float64Array.from({ length: itemCount }, (_, item) => (item < 6 ? 32 : 1))
  const report = finish(
    train(model, histories, {
      loss: recipe.createLoss(support),
      optimizer: recipe.createOptimizer(model),
      batchSize: recipe.batchSize,
      clip: recipe.clip,
      epochs,
      random: createRandom(2),
      clock: () => 0,
    }),
  )
  engine.close()
  return report.loss
}

describe('the default recipe', () => {
  it('uses softmax over the catalog and Adam up to its limit', () => {
    const recipe = defaultRecipe(maxItemsForSoftmax)
    expect(recipe.loss).toEqual({ name: 'softmax' })
    expect(recipe.optimizer.name).toBe('adam')
    expect(recipe.createLoss(new Float64Array(6).fill(1)).scoresAll).toBe(true)
  })

  it('samples negatives above the limit, and updates only touched rows', () => {
    const recipe = defaultRecipe(maxItemsForSoftmax + 1)
    expect(recipe.loss).toMatchObject({ name: 'sampled', logQ: 1 })
    expect(recipe.optimizer.name).toBe('lazy-adam')
    expect(recipe.rateDecay).toBeLessThan(1)
    expect(recipe.createLoss(new Float64Array(6).fill(1)).scoresAll).toBe(false)
  })

  it('uses about 4,096 events per step, from at most 128 sequences, or 32 with sampling', () => {
    const batchSize = (sequences: number, events: number, items = 100) =>
      defaultRecipe(items, { sequences, events }).batchSize
    expect(batchSize(200_000, 1_000_000)).toBe(128)
    expect(batchSize(200_000, 1_000_000, maxItemsForSoftmax + 1)).toBe(32)
    expect(batchSize(6000, 768_000)).toBe(32)
    expect(batchSize(6000, 60_000_000)).toBe(8)
    expect(defaultRecipe(100).batchSize).toBe(32)
  })

  it('uses smaller batches for a small log', () => {
    expect(defaultRecipe(100, { sequences: 2000, events: 10_000 }).batchSize).toBe(20)
    expect(defaultRecipe(100, { sequences: 10, events: 50 }).batchSize).toBe(8)
    expect(defaultRecipe(100, { sequences: 0, events: 0 }).batchSize).toBe(8)
  })

  it('names an architecture with all of its options', () => {
    const { architecture } = defaultRecipe(1)
    expect(createArchitecture(architecture).description).toEqual(architecture)
  })

  it.each([6, maxItemsForSoftmax + 1])('lowers the loss over %i items', async (itemCount) => {
    expect(await lossAfter(itemCount, 4)).toBeLessThan(0.8 * (await lossAfter(itemCount, 1)))
  })
})
