// Training on several threads gives the bits of one thread, also if the number of threads changes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine, EngineOptions } from '../../kernels/index.ts'
import {
  adagrad,
  adam,
  createArchitecture,
  createSequenceModel,
  finish,
  modelNames,
  sampled,
  softmax,
  train,
} from '../index.ts'
import type { Loss, ModelName } from '../index.ts'
import { spawnKernelWorker } from '../../node/spawn-kernel-worker.ts'

const [itemCount, users, events] = [700, 24, 30]
const support = new Float64Array(itemCount).fill(1)

const recipes: Readonly<Record<string, { createLoss: () => Loss; createOptimizer: typeof adam }>> =
  {
    'softmax and adam': { createLoss: softmax, createOptimizer: adam },
    'BPR-max and adagrad': {
      createLoss: () =>
        sampled({ kind: 'bpr-max', negatives: 200, alpha: 0.5, support, regularization: 0.5 }),
      createOptimizer: adagrad,
    },
  }

/** Returns all weights after one epoch of two steps. */
function trainedWeights(engine: Engine, name: ModelName, recipe: string): readonly number[][] {
  const random = createRandom(3)
  const histories = Array.from({ length: users }, () => ({
    items: Int32Array.from({ length: events }, () => random.integer(itemCount)),
    rewards: Float32Array.from({ length: events }, () => random.uniform()),
    times: Float64Array.from({ length: events }, (_, i) => 1e6 * i),
  }))
  const architecture = createArchitecture({ model: name })
  const model = createSequenceModel(engine, architecture, itemCount, createRandom(1))
  const { createLoss, createOptimizer } = recipes[recipe]!
  const options = {
    epochs: 1,
    batchSize: users / 2,
    loss: createLoss(),
    optimizer: createOptimizer(engine, model.workspace, { rate: 0.01 }),
    inputDropout: 0.2,
    random: createRandom(2),
    clock: () => 0,
  }
  finish(train(model, histories, options))
  return model.parameters.map(({ value }) => [...value.values])
}

describe('training', () => {
  let one: Engine
  let others: readonly Engine[]
  let calls = 0
  beforeAll(async () => {
    const open = (options: EngineOptions) =>
      createEngine({ ...options, spawnWorker: spawnKernelWorker })
    one = await createEngine()
    others = [
      await open({ threads: 2 }),
      await open({ threads: 5 }),
      await open({ threads: 3, activeThreads: () => 1 + (calls++ % 3) }),
    ]
  })
  afterAll(() => {
    for (const engine of [one, ...others]) engine.close()
  })

  const cases = modelNames.flatMap((name) =>
    Object.keys(recipes).map((recipe) => ({ name, recipe })),
  )
  it.each(cases)('gives $name by $recipe the same weights on any threads', ({ name, recipe }) => {
    const expected = trainedWeights(one, name, recipe)
    for (const engine of others) expect(trainedWeights(engine, name, recipe)).toEqual(expected)
    expect(calls).toBeGreaterThan(0)
  })
})
