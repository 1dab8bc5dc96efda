import { describe, expect, it } from 'vitest'

import { byUser } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import {
  createArchitecture,
  createSequenceModel,
  defaultRecipe,
  modelNames,
} from '../models/index.ts'
import type { ModelName } from '../models/index.ts'
import { baseFrom, completeRecipe, setUpTraining } from './recipe.ts'
import type { RecipeOptions } from './recipe.ts'
import { startTraining } from './training.ts'

const itemCount = 6

/** Users who go round a circle of items. */
function circle(reward: number): InteractionLog {
  const [users, events] = [20, 6]
  const rows = Array.from({ length: users * events }, (_, row) => row)
  return {
    users: Int32Array.from(rows, (row) => Math.floor(row / events)),
    items: Int32Array.from(rows, (row) => (Math.floor(row / events) + row) % itemCount),
    rewards: new Float32Array(rows.length).fill(reward),
    times: Float64Array.from(rows),
    userNames: rows.map(String),
    itemNames: rows.slice(0, itemCount).map(String),
  }
}

/** The mean loss of each epoch. */
async function lossesOf(name: ModelName, options: RecipeOptions, reward = 1): Promise<number[]> {
  const engine = await createEngine()
  const architecture = createArchitecture({ model: name, dimension: 8 })
  const model = createSequenceModel(engine, architecture, itemCount, createRandom(1))
  const recipe = completeRecipe(name, { epochs: 5, batch: 4, ...options })
  const run = { sequences: byUser(circle(reward)), random: createRandom(2), patience: 5 }
  return Array.from(startTraining(model, recipe, run))
    .filter(({ step, steps }) => step === steps)
    .map(({ loss }) => loss)
}

describe('a recipe', () => {
  it.each(modelNames)('of %s is complete, and training with it lowers the loss', async (name) => {
    const [first, ...rest] = await lossesOf(name, {})
    expect(rest.at(-1)).toBeLessThan(first!)
  })

  it.each<readonly [string, RecipeOptions]>([
    ['bpr-max', { loss: 'bpr-max', negatives: 2, regularization: 0.1, elu: 0, clip: 5 }],
    ['a sampled loss and lazy Adam', { loss: 'sampled', optimizer: 'lazy-adam', logQ: 0 }],
    ['squared error and Adagrad', { loss: 'squared-error', optimizer: 'adagrad', momentum: 0.1 }],
    ['binary cross-entropy', { loss: 'binary-cross-entropy', weightDecay: 0.001 }],
  ])('by %s lowers the loss', async (_, options) => {
    const [first, ...rest] = await lossesOf('gru4rec', options)
    expect(rest.at(-1)).toBeLessThan(first!)
  })

  it.each(['softmax', 'sampled', 'bpr-max'] as const)(
    'with %s weighs interactions by their reward',
    async (loss) => {
      const options = { loss, ...(loss !== 'softmax' && { negatives: 2 }) }
      expect(await lossesOf('gru4rec', options, 0)).toEqual([0, 0, 0, 0, 0])
    },
  )

  it('uses Adagrad and session-parallel batches for gru4rec-parity, and softmax and Adam for others', () => {
    expect(completeRecipe('gru4rec-parity', {})).toMatchObject({
      loss: 'sampled',
      optimizer: 'adagrad',
      rate: 0.05,
      negatives: 2048,
    })
    expect(completeRecipe('sasrec', {})).toMatchObject({ loss: 'softmax', optimizer: 'adam' })
    expect(completeRecipe('sasrec', {})).not.toHaveProperty('negatives')
  })

  it('refuses options of other losses or optimizers', () => {
    expect(() => completeRecipe('gru4rec', { elu: 1 })).toThrow(/--elu is for bpr-max.*softmax/)
    expect(() => completeRecipe('gru4rec', { momentum: 0 })).toThrow(/momentum is for adagrad/)
    expect(() => completeRecipe('gru4rec', { loss: 'bpr-max', logQ: 1 })).toThrow(/--log-q is/)
    expect(() => completeRecipe('gru4rec-parity', { weightDecay: 1 })).toThrow(/--weight-decay is/)
  })

  it('refuses rewards that the model or the loss cannot use', async () => {
    const parity = () => completeRecipe('gru4rec-parity', { loss: 'squared-error' })
    expect(parity).toThrow(/rewards/)
    await expect(lossesOf('gru4rec', { loss: 'binary-cross-entropy' }, 5)).rejects.toThrow(/0 to 1/)
  })

  it('refuses a lazy optimizer with a loss that scores all items', async () => {
    await expect(lossesOf('gru4rec', { optimizer: 'lazy-adam' })).rejects.toThrow(/lazy-adam/)
  })
})

describe('a training plan without a model', () => {
  it('follows the default recipe', () => {
    const { architecture, recipe, patience, startsFromMemory } = setUpTraining({}, 100)
    expect(startsFromMemory).toBe(true)
    const expected = defaultRecipe(100)
    expect(architecture.description).toEqual(expected.architecture)
    expect(recipe).toEqual({ weightDecay: 0, ...baseFrom(expected) })
    expect(patience).toBe(expected.patience)
  })

  it('samples negatives in a large catalog', () => {
    expect(setUpTraining({}, 1_000_000).recipe).toMatchObject({
      loss: 'sampled',
      optimizer: 'lazy-adam',
      negatives: 2048,
      logQ: 1,
    })
  })

  it('overrides only the values of the given options', () => {
    const options = { set: { dimension: 16 }, epochs: 3, patience: 2 }
    const { architecture, recipe, patience } = setUpTraining(options, 100)
    const expected = defaultRecipe(100)
    expect(architecture.description).toEqual({ ...expected.architecture, dimension: 16 })
    expect(recipe).toEqual({ weightDecay: 0, ...baseFrom(expected), epochs: 3 })
    expect(patience).toBe(2)
  })

  it('uses a dense optimizer if a large catalog is scored as a whole', () => {
    const { recipe } = setUpTraining({ loss: 'softmax' }, 1_000_000)
    expect(recipe).toMatchObject({ loss: 'softmax', optimizer: 'adam', rate: 0.005 })
    expect(recipe).not.toHaveProperty('negatives')
  })
})

describe('options of an architecture', () => {
  it('are applied', () => {
    const { description } = createArchitecture({ model: 'hrnn', dimension: 8, controls: false })
    expect(description).toMatchObject({ model: 'hrnn', dimension: 8, controls: false })
  })

  it('are refused if unknown, of the wrong type, or derived from others', () => {
    expect(() => createArchitecture({ model: 'gru4rec', depth: 3 })).toThrow(
      /no setting depth.*dimension/,
    )
    expect(() => createArchitecture({ model: 'gru4rec', dimension: 'wide' })).toThrow(
      /dimension.*integer/,
    )
    expect(() => createArchitecture({ model: 'tcn', receptiveField: 3 })).toThrow(/cannot be set/)
  })
})
