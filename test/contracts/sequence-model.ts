// The contract of sequence models, independent of their networks.

import { beforeAll, expect, it } from 'vitest'
import { createRandom } from '../../src/core/random.ts'
import { createEngine } from '../../src/kernels/index.ts'
import type { Engine } from '../../src/kernels/index.ts'
import { createBatch, lastEvents, sliceHistory } from '../../src/models/batch.ts'
import type { History } from '../../src/models/batch.ts'
import { loadModel, saveModel } from '../../src/models/files/model-file.ts'
import type { Loss } from '../../src/models/losses/loss.ts'
import { squaredError } from '../../src/models/losses/reward.ts'
import { softmax } from '../../src/models/losses/softmax.ts'
import { adam, lazyAdam } from '../../src/models/optimizers/optimizers.ts'
import { createSequenceModel } from '../../src/models/sequence-model.ts'
import type { Architecture, SequenceModel } from '../../src/models/sequence-model.ts'
import { finish, train } from '../../src/models/training/train.ts'
import { checkCausality, checkPadding, randomHistory } from '../check-causality.ts'
import type { Kernel } from '../check-causality.ts'
import { expectClose } from '../kernel-workspace.ts'

const itemCount = 30
const window = 9
const lengths = [0, 1, 2, 5, window, window + 1]

/** Small options that every architecture accepts. */
export interface SmallOptions {
  readonly dimension: number
  readonly window: number
}

export function describeSequenceModel(
  create: (options: SmallOptions) => Architecture,
  kernel: Kernel,
): void {
  const architecture = create({ dimension: 8, window })
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel })
  })
  const open = (seed = 1) =>
    createSequenceModel(engine, architecture, itemCount, createRandom(seed))
  const longest = randomHistory(window + 4, createRandom('longest'))
  const histories = lengths.map((length) => randomHistory(length, createRandom(length)))

  it('has a row of d finite numbers for each item, and θ for a history of any length', () => {
    const model = open()
    const { rows, columns, values } = model.itemEmbeddings
    expect([rows, columns]).toEqual([itemCount, 8])
    for (const numbers of [values, ...histories.map((history) => thetaOf(model, history))]) {
      expect(numbers.every(Number.isFinite)).toBe(true)
    }
  })

  it('depends only on its seed, bit for bit, before and after training', () => {
    const run = (seed: number) => {
      const model = open(seed)
      const start = weightsOf(model)
      finish(learn(model, squaredError()))
      return { start, trained: weightsOf(model), theta: thetaOf(model, longest) }
    }
    const [first, again, other] = [run(1), run(1), run(2)]
    expect(again).toEqual(first)
    expect(other.start).not.toEqual(first.start)
    expect(other.trained).not.toEqual(first.trained)
    expect(other.theta).not.toEqual(first.theta)
    expect(first.trained).not.toEqual(first.start)
  })

  it('has the same θ for a history in any batch, bit for bit', () =>
    checkPadding(architecture, kernel))

  it('does not depend on later events', () => checkCausality(architecture, kernel))

  it('does not depend on later rewards or times', () => {
    const model = open()
    const history = randomHistory(window, createRandom('history'))
    const before = thetaOfPrefix(model, history, 4)
    for (let event = 4; event < window; event++) {
      const rewards = history.rewards.with(event, 7)
      const times = history.times.map((time, i) => (i < event ? time : time + 1e9))
      expect(thetaOfPrefix(model, { ...history, rewards, times }, 4)).toEqual(before)
    }
  })

  it('uses only the events in its window', () => {
    const model = open()
    const theta = thetaOf(model, longest)
    expect(thetaOf(model, lastEvents(longest, window))).toEqual(theta)
    const items = longest.items.map((item, i) => (i < 4 ? (item + 1) % itemCount : item))
    expect(thetaOf(model, { ...longest, items })).toEqual(theta)
  })

  it('refuses an item outside the catalog', () => {
    const model = open()
    const refused = expect.objectContaining({ code: 'index-out-of-range' })
    for (const item of [-1, itemCount]) {
      const history = { ...longest, items: longest.items.with(longest.items.length - 1, item) }
      expect(() => thetaOf(model, history)).toThrow(refused)
      const state = model.openState(longest)
      if (state !== null) expect(() => state.advance(item, 1, 0)).toThrow(refused)
    }
  })

  it('can start without items', () => {
    const model = createSequenceModel(engine, architecture, 0, createRandom(1))
    expect(model.itemEmbeddings.values).toHaveLength(0)
    const nothing = sliceHistory(longest, 0, 0)
    expect(thetaOf(model, nothing).every(Number.isFinite)).toBe(true)
    model.addItems(itemCount)
    expect(thetaOf(model, longest).every(Number.isFinite)).toBe(true)
  })

  it('retains every weight and θ when items are added, and can score and train the new items', () => {
    const model = open()
    const [before, weights] = [histories.map((h) => thetaOf(model, h)), weightsOf(model)]
    for (const count of [1, 2, 40]) model.addItems(count)
    expect(model.itemCount).toBe(itemCount + 43)
    expect(histories.map((h) => thetaOf(model, h))).toEqual(before)
    for (const { name, value } of model.parameters) {
      expect(value.values.slice(0, weights[name]!.length)).toEqual(weights[name])
    }
    const withNew = { ...longest, items: longest.items.with(2, itemCount + 42) }
    expect(thetaOf(model, withNew).every(Number.isFinite)).toBe(true)
    const { values } = model.itemEmbeddings
    const newest = values.slice(-8)
    expect(newest.every(Number.isFinite)).toBe(true)
    finish(learn(model, squaredError(), { log: [withNew] }))
    expect(model.itemEmbeddings.values.slice(-8)).not.toEqual(newest)
  })

  const losses = { 'squared error': squaredError(), softmax: softmax() }
  it.each(Object.entries(losses))('reduces %s on a predictable log', (_, loss) => {
    const model = open()
    const training = learn(model, loss, { log: toyLog(), epochs: 12 })
    const first = training.next().value.loss
    expect(finish(training).loss).toBeLessThan(0.9 * first)
  })

  it('trains only touched rows', () => {
    const model = open()
    const untouched = model.itemEmbeddings.values.slice(6 * 8)
    const optimizer = lazyAdam(engine, model.workspace, { rate: 0.02 })
    const training = learn(model, squaredError(), { log: toyLog(), epochs: 12, optimizer })
    const first = training.next().value.loss
    expect(finish(training).loss).toBeLessThan(0.9 * first)
    expect(model.itemEmbeddings.values.slice(6 * 8)).toEqual(untouched)
  })

  it('is restored from a file bit for bit', async () => {
    const model = open()
    finish(learn(model, squaredError()))
    const itemNames = Array.from({ length: itemCount }, (_, item) => `item ${item}`)
    const loaded = loadModel(await createEngine({ kernel }), saveModel({ model, itemNames }))
    expect(loaded.itemNames).toEqual(itemNames)
    expect(loaded.model.architecture.description).toEqual(architecture.description)
    expect(weightsOf(loaded.model)).toEqual(weightsOf(model))
    for (const history of histories) {
      expect(thetaOf(loaded.model, history)).toEqual(thetaOf(model, history))
    }
  })

  it.each(['adam', 'lazy-adam'])('has its old weights after a loss of NaN under %s', (name) => {
    const model = open()
    const optimizer = (name === 'adam' ? adam : lazyAdam)(engine, model.workspace)
    const before = weightsOf(model)
    const sound = squaredError()
    let steps = 0
    const loss: Loss = {
      ...sound,
      apply: (...step) => (steps++ < 3 ? sound.apply(...step) : Number.NaN),
    }
    expect(() => finish(learn(model, loss, { log: toyLog(), optimizer }))).toThrow(
      expect.objectContaining({ code: 'non-finite-result' }),
    )
    expect(weightsOf(model)).toEqual(before)
  })

  it('ends training with an absurd rate with the old weights or with finite ones', () => {
    for (let epochs = 1; epochs <= 3; epochs++) {
      const model = open()
      const before = weightsOf(model)
      const optimizer = adam(engine, model.workspace, { rate: 1e30 })
      try {
        finish(learn(model, squaredError(), { log: toyLog(), epochs, optimizer }))
        for (const weights of Object.values(weightsOf(model))) {
          expect(weights.every(Number.isFinite)).toBe(true)
        }
      } catch (error) {
        expect(error).toMatchObject({ code: 'non-finite-result' })
        expect(weightsOf(model)).toEqual(before)
      }
    }
  })

  it('has no online state, or one that equals the history', () => {
    const model = open()
    finish(learn(model, softmax()))
    const history = randomHistory(window, createRandom('online'))
    const state = model.openState(sliceHistory(history, 0, 0))
    if (state === null) return
    for (let event = 0; event < window; event++) {
      state.advance(history.items[event]!, history.rewards[event]!, history.times[event]!)
      const theta = new Float32Array(8)
      state.theta(theta)
      expectClose([...theta], [...thetaOf(model, sliceHistory(history, 0, event + 1))], 1e-6)
    }
  })

  function learn(model: SequenceModel, loss: Loss, options: Partial<Learning> = {}) {
    const { log = histories, epochs = 2 } = options
    const optimizer = options.optimizer ?? adam(engine, model.workspace, { rate: 0.02 })
    const random = createRandom('training')
    return train(model, log, { loss, optimizer, epochs, batchSize: 6, random, clock: () => 0 })
  }
}

interface Learning {
  readonly log: readonly History[]
  readonly epochs: number
  readonly optimizer: ReturnType<typeof adam>
}

/** Six of thirty items; every second event has the same item. Odd items have reward 1, even ones 0. */
function toyLog(): History[] {
  return Array.from({ length: 18 }, (_, user) => {
    const items = Int32Array.from({ length: 8 }, (_unused, i) => (i % 2 ? 1 : (user + i) % 6))
    return {
      items,
      rewards: Float32Array.from(items, (item) => item % 2),
      times: Float64Array.from(items, (_unused, i) => 1000 * i),
    }
  })
}

function thetaOf(model: SequenceModel, history: History): Float32Array {
  const theta = new Float32Array(model.dimension).fill(Number.NaN)
  model.userEmbedding(history, theta)
  return theta
}

/** θ at each position of the whole history, up to the one after `events` events. */
function thetaOfPrefix(model: SequenceModel, history: History, events: number): Float32Array {
  const { withStart } = model.architecture
  const positions = events + (withStart ? 1 : 0)
  return model.encode(createBatch([history], withStart)).values.slice(0, positions * 8)
}

function weightsOf(model: SequenceModel): Record<string, Float32Array> {
  return Object.fromEntries(model.parameters.map(({ name, value }) => [name, value.values.slice()]))
}
