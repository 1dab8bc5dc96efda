import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { structuredHistories, structuredNames } from '../../test/structured-log.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createCatalogScorer, finish, gru4rec, loadModel, sasrec } from '../models/index.ts'
import type { History } from '../models/index.ts'
import { defaultRecipe, maxItemsForSoftmax } from '../models/training/default-recipe.ts'
import { trainOnLog } from './full-training.ts'
import type { FullTrainingOptions, TrainedModel, TrainingProgress } from './full-training.ts'
import { holdOutLatest, type HeldOut } from './held-out.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const log = { users: 60, items: 40, length: 12 }
const recipe = { ...defaultRecipe(log.items), epochs: 4, patience: 2, batchSize: 8 }

const hold = (sequences: readonly History[]): HeldOut =>
  holdOutLatest(sequences, { random: createRandom(1) })

const optionsFor = (changes: Partial<FullTrainingOptions> = {}): FullTrainingOptions => ({
  engine,
  architecture: gru4rec({ dimension: 8, window: 8 }),
  itemNames: structuredNames(log.items),
  heldOut: hold(structuredHistories(log)),
  recipe,
  random: createRandom(1),
  clock: () => 0,
  ...changes,
})

/** Runs to the end, or until it has written this many checkpoints. */
function run(options: FullTrainingOptions, checkpoints = Infinity) {
  const training = trainOnLog(options)
  const progress: TrainingProgress[] = []
  const written: Uint8Array[] = []
  for (;;) {
    const next = training.next()
    if (next.done === true) return { progress, written, trained: next.value }
    progress.push(next.value)
    if (next.value.checkpoint) written.push(next.value.checkpoint())
    if (written.length >= checkpoints) return { progress, written, trained: null }
  }
}

const resultOf = ({ file, epochs, loss, validation }: TrainedModel) => ({
  file: [...file],
  epochs,
  loss,
  validation,
})

describe('a full training run', () => {
  it.each([
    [1, log.items],
    [2, log.items],
    [1, maxItemsForSoftmax + 1],
    [2, maxItemsForSoftmax + 1],
  ])('learns more from larger rewards: item %i, recipe for %i items', (better, itemCount) => {
    // After item 0, users choose 1 and 2 equally often, but one of them with a reward of 5.
    const sequences = Array.from({ length: 80 }, (_, user) => {
      const chosen = 1 + (user % 2)
      const reward = chosen === better ? 5 : 1
      const items = Int32Array.of(0, chosen, 0, chosen)
      return { items, rewards: Float32Array.of(1, reward, 1, reward), times: new Float64Array(4) }
    })
    const heldOut = hold(sequences)
    const { trained } = run(
      optionsFor({
        itemNames: ['start', 'a', 'b'],
        heldOut,
        recipe: { ...recipe, createLoss: defaultRecipe(itemCount).createLoss },
      }),
    )
    const test = { ...heldOut.tests[0]!, items: Int32Array.of(0, 1), firstTarget: 1 }
    createCatalogScorer(trained!.model).scoreTargets([test], (_, __, scores) => {
      expect(scores[better]).toBeGreaterThan(scores[3 - better]!)
    })
    expect.assertions(1)
  })

  it.each([
    [1, log.items],
    [2, log.items],
    [1, maxItemsForSoftmax + 1],
    [2, maxItemsForSoftmax + 1],
  ])('learns less of what users left: item %i, recipe for %i items', (worse, itemCount) => {
    // After item 0, users choose 1 and 2 equally often, but some leave one of them.
    const sequences = Array.from({ length: 80 }, (_, user) => {
      const chosen = 1 + (user % 2)
      const left = { after: Int32Array.of(1, 1), items: Int32Array.of(worse, worse) }
      const items = Int32Array.of(0, chosen, 0, chosen)
      const history = { items, rewards: new Float32Array(4).fill(1), times: new Float64Array(4) }
      return chosen === worse ? history : { ...history, left }
    })
    const heldOut = hold(sequences)
    const { trained } = run(
      optionsFor({
        itemNames: ['start', 'a', 'b'],
        heldOut,
        recipe: { ...recipe, createLoss: defaultRecipe(itemCount).createLoss },
      }),
    )
    const test = { ...heldOut.tests[0]!, items: Int32Array.of(0, 1), firstTarget: 1 }
    createCatalogScorer(trained!.model).scoreTargets([test], (_, __, scores) => {
      expect(scores[3 - worse]!).toBeGreaterThan(scores[worse]!)
    })
    expect.assertions(1)
  })

  it('is the same, bit for bit, without left items and with none', () => {
    const left = { after: new Int32Array(), items: new Int32Array() }
    const sequences = structuredHistories(log).map((history) => ({ ...history, left }))
    const { trained } = run(optionsFor({ heldOut: hold(sequences) }))
    expect(resultOf(trained!)).toEqual(resultOf(run(optionsFor()).trained!))
  })

  it('ranks the held-out interactions of a log with structure far above chance', () => {
    const rich = { users: 300, items: 60, length: 12 }
    const { trained, progress } = run(
      optionsFor({
        architecture: gru4rec({ dimension: 16, window: 12 }),
        itemNames: structuredNames(rich.items),
        heldOut: hold(structuredHistories(rich)),
        recipe: { ...recipe, epochs: 12 },
      }),
    )
    expect(trained!.validation.examples).toBe(150)
    // A random order finds 10 of 60.
    expect(trained!.validation.hr10).toBeGreaterThan(0.7)
    const validated = progress.flatMap(({ validation }) => validation?.ndcg10 ?? [])
    expect(trained!.validation.ndcg10).toBe(Math.max(...validated))
    expect(trained!.loss).toBeLessThan(progress[0]!.loss)
  }, 60_000)

  it('writes a model file that gives the same model', () => {
    const { trained } = run(optionsFor())
    const { model, itemNames } = loadModel(engine, trained!.file)
    expect(itemNames).toEqual(structuredNames(log.items))
    expect([...model.itemEmbeddings.values]).toEqual([...trained!.model.itemEmbeddings.values])
  })

  it('reports share, time left and validation', () => {
    let time = 0
    const { progress } = run(optionsFor({ clock: () => (time += 100) }))
    const shares = progress.map(({ share }) => share)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(progress[0]).toMatchObject({ epoch: 1, epochs: 4, validation: null })
    for (const { secondsLeft, checkpoint, validation } of progress) {
      expect(secondsLeft).toBeGreaterThanOrEqual(0)
      if (checkpoint) expect(validation!.ndcg10).toBeGreaterThanOrEqual(0)
    }
  })

  it('refuses a log in which no user can be held out', () => {
    const sequences = structuredHistories({ ...log, length: 1 })
    expect(() => hold(sequences)).toThrow('at least two users')
  })

  it('fails if the loss is not a number', () => {
    const broken: FullTrainingOptions['recipe'] = {
      ...recipe,
      createLoss: (support) => ({ ...recipe.createLoss(support), apply: () => Number.NaN }),
    }
    expect(() => finish(trainOnLog(optionsFor({ recipe: broken })))).toThrow('the loss became NaN')
  })
})

describe('a resumed run', () => {
  it('ends with the same result as an uninterrupted one, bit for bit', () => {
    const architectures = [
      gru4rec({ dimension: 6, window: 5 }),
      sasrec({ dimension: 6, window: 5, dropout: 0.2 }),
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...architectures),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 5 }),
        (architecture, interruptions, seed) => {
          const options = () => optionsFor({ architecture, random: createRandom(seed) })
          const whole = run(options())
          let resume: Uint8Array | undefined
          for (let i = 0; i < interruptions; i++) {
            const { written } = run({ ...options(), ...(resume && { resume }) }, 1)
            // It may have ended before the next epoch.
            resume = written.at(-1) ?? resume
          }
          const resumed = run({ ...options(), resume: resume! })
          expect(resultOf(resumed.trained!)).toEqual(resultOf(whole.trained!))
        },
      ),
      { numRuns: 8 },
    )
  }, 60_000)

  it('refuses a checkpoint of another model', () => {
    const { written } = run(optionsFor(), 1)
    const architecture = gru4rec({ dimension: 7, window: 8 })
    const resumed = trainOnLog(optionsFor({ architecture, resume: written[0]! }))
    expect(() => finish(resumed)).toThrow('checkpoint: weights/items must have')
  })
})

describe('holding out', () => {
  const options = { random: createRandom(3) }

  it('never trains on a held-out interaction, and on all others', () => {
    const sequences = structuredHistories(log)
    const { training, tests } = holdOutLatest(sequences, options)
    expect(tests).toHaveLength(30)
    const heldOut = new Set(tests.map(({ user }) => user))
    expect(heldOut.size).toBe(30)
    for (const [user, { items }] of sequences.entries()) {
      const end = heldOut.has(user) ? items.length - 1 : items.length
      expect([...training[user]!.items]).toEqual([...items.subarray(0, end)])
    }
    for (const { user, items, firstTarget } of tests) {
      expect(items).toBe(sequences[user]!.items)
      expect(firstTarget).toBe(items.length - 1)
    }
  })

  it('holds out at most 2,000 users, and none with a single interaction', () => {
    const sequences = structuredHistories({ users: 5000, items: 9, length: 2 })
    const short = structuredHistories({ users: 100, items: 9, length: 1 })
    const { tests } = holdOutLatest([...short, ...sequences], options)
    expect(tests).toHaveLength(2000)
    expect(tests.every(({ user }) => user >= 100)).toBe(true)
  })

  it('holds out the users with the smallest keys', () => {
    const sequences = structuredHistories({ ...log, users: 4 })
    const keys = Float64Array.of(0.4, 0.1, 0.9, 0.2)
    const { tests } = holdOutLatest(sequences, { ...options, keys })
    expect(tests.map(({ user }) => user)).toEqual([1, 3])
  })

  it('excludes histories from rankings only if repeats are rare', () => {
    const cycle = structuredHistories({ ...log, chain: 4 })
    const walk = structuredHistories({ ...log, items: 1000, chain: 200, noise: 0 })
    expect(holdOutLatest(cycle, options).excludeHistory).toBe(false)
    expect(holdOutLatest(walk, options).excludeHistory).toBe(true)
  })
})
