import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { lastEvents, sliceHistory } from './batch.ts'
import type { History } from './batch.ts'
import { gru4rec } from './gru4rec.ts'
import { hrnn } from './hrnn.ts'
import { squaredError } from './losses/reward.ts'
import { mlp } from './mlp.ts'
import { lazyAdam } from './optimizers/optimizers.ts'
import { createSequenceModel } from './sequence-model.ts'
import type { SequenceModel } from './sequence-model.ts'
import { nextItemExample } from './training/examples.ts'
import { createTrainer } from './training/trainer.ts'
import { captureWeights } from './training/weights.ts'

const itemCount = 7
const window = 12
const options = { dimension: 5, window, decoderScale: 1 }

const histories = fc
  .array(
    fc.record({
      item: fc.nat(itemCount - 1),
      reward: fc.double({ min: -2, max: 2, noNaN: true }),
      gap: fc.integer({ min: 0, max: 1e9 }),
    }),
    { maxLength: window },
  )
  .map((events): History => {
    let time = 1e12
    return {
      items: Int32Array.from(events, ({ item }) => item),
      rewards: Float32Array.from(events, ({ reward }) => reward),
      times: Float64Array.from(events, ({ gap }) => (time += gap)),
    }
  })

const someHistory: History = {
  items: Int32Array.of(1, 2),
  rewards: Float32Array.of(1, 1),
  times: Float64Array.of(10, 20),
}

describe.each([
  { name: 'GRU4Rec', architecture: gru4rec },
  { name: 'HRNN', architecture: hrnn },
])('the online state of $name', ({ architecture }) => {
  let engine: Engine
  let model: SequenceModel
  beforeAll(async () => {
    engine = await createEngine()
    model = createSequenceModel(engine, architecture(options), itemCount, createRandom(3))
  })

  const theta = new Float32Array(options.dimension)
  const expected = new Float32Array(options.dimension)

  it('gives the θ of the whole history after every event, from any starting point', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (history, cut) => {
        const { items, rewards, times } = history
        const until = (end: number): History => sliceHistory(history, 0, end)
        const opened = cut % (items.length + 1)
        const state = model.openState(until(opened))!
        for (let end = opened; end <= items.length; end++) {
          state.theta(theta)
          model.userEmbedding(until(end), expected)
          for (const [i, value] of expected.entries()) expect(theta[i]).toBeCloseTo(value, 5)
          if (end < items.length) state.advance(items[end]!, rewards[end]!, times[end]!)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('opens with the θ of a history that is longer than the window, or was cut', () => {
    const long = {
      items: Int32Array.from({ length: window + 3 }, (_, event) => event % itemCount),
      rewards: new Float32Array(window + 3).fill(1),
      times: Float64Array.from({ length: window + 3 }, (_, event) => 2e6 * event ** 2),
    }
    for (const count of [window + 3, window, 3, 0]) {
      const history = lastEvents(long, count)
      model.openState(history)!.theta(theta)
      model.userEmbedding(history, expected)
      for (const [i, value] of expected.entries()) expect(theta[i]).toBeCloseTo(value, 5)
    }
  })

  it('uses the gap to events before a cut history', () => {
    const [whole, last] = [someHistory, lastEvents(someHistory, 0)]
    const state = model.openState(last)!
    state.advance(4, 1, 30)
    state.theta(theta)
    const next = {
      items: Int32Array.of(...whole.items, 4),
      rewards: Float32Array.of(...whole.rewards, 1),
      times: Float64Array.of(...whole.times, 30),
    }
    model.userEmbedding(lastEvents(next, 1), expected)
    for (const [i, value] of expected.entries()) expect(theta[i]).toBeCloseTo(value, 5)
  })

  it('is independent of other states and batches between its events', () => {
    const [alone, among] = [model.openState(someHistory)!, model.openState(someHistory)!]
    const other = model.openState(lastEvents(someHistory, 0))!
    alone.advance(4, 1, 30)
    other.advance(5, 0, 25)
    model.userEmbedding(someHistory, theta)
    among.advance(4, 1, 30)
    alone.theta(expected)
    among.theta(theta)
    expect([...theta]).toEqual([...expected])
  })

  it('continues after items are added, and accepts them', () => {
    const grown = createSequenceModel(engine, architecture(options), 3, createRandom(3))
    const state = grown.openState(someHistory)!
    expect(() => state.advance(3, 1, 30)).toThrow(
      expect.objectContaining({ code: 'index-out-of-range' }),
    )
    grown.addItems(2)
    state.advance(3, 1, 30)
    state.theta(theta)
    grown.userEmbedding(
      {
        items: Int32Array.of(1, 2, 3),
        rewards: Float32Array.of(1, 1, 1),
        times: Float64Array.of(10, 20, 30),
      },
      expected,
    )
    for (const [i, value] of expected.entries()) expect(theta[i]).toBeCloseTo(value, 5)
  })

  it('does not change when an event is refused', () => {
    const state = model.openState(someHistory)!
    state.theta(expected)
    const refused = expect.objectContaining({ code: 'non-finite-input' })
    expect(() => state.advance(1, Number.NaN, 30)).toThrow(refused)
    expect(() => state.advance(1, 1, Number.POSITIVE_INFINITY)).toThrow(refused)
    state.theta(theta)
    expect([...theta]).toEqual([...expected])
  })

  it('is refused after the weights have changed, by a step or a rollback', () => {
    const trained = createSequenceModel(engine, architecture(options), itemCount, createRandom(3))
    const optimizer = lazyAdam(engine, trained.workspace)
    const trainer = createTrainer(trained, { loss: squaredError(), optimizer })
    const saved = captureWeights(trained)
    const moves = [
      () => trainer.step(nextItemExample([someHistory], true), createRandom(1)),
      () => saved.restore(),
    ]
    for (const move of moves) {
      const state = trained.openState(someHistory)!
      expect(state.current).toBe(true)
      move()
      expect(state.current).toBe(false)
      const stale = expect.objectContaining({ code: 'stale-state' })
      expect(() => state.advance(1, 1, 30)).toThrow(stale)
      expect(() => state.theta(theta)).toThrow(stale)
    }
  })
})

it('an online state reads the context of each event, and refuses another width', async () => {
  const architecture = hrnn({ ...options, contextWidth: 2 })
  const model = createSequenceModel(await createEngine(), architecture, itemCount, createRandom(3))
  const history = { ...someHistory, context: Float32Array.of(1, -2, 3, 4) }
  const thetas = [new Float32Array(options.dimension), new Float32Array(options.dimension)] as const
  model.userEmbedding(history, thetas[0])
  for (const opened of [0, 1, 2]) {
    const state = model.openState(sliceHistory(history, 0, opened))!
    for (let event = opened; event < 2; event++) {
      const { items, rewards, times, context } = sliceHistory(history, event, event + 1)
      state.advance(items[0]!, rewards[0]!, times[0]!, context)
    }
    state.theta(thetas[1])
    for (const [i, value] of thetas[0].entries()) expect(thetas[1][i]).toBeCloseTo(value, 5)
    expect(() => state.advance(1, 1, 30, Float32Array.of(1))).toThrow(
      expect.objectContaining({ code: 'shape-mismatch' }),
    )
  }
})

it('a network that is not recurrent has no online state', async () => {
  const model = createSequenceModel(await createEngine(), mlp(options), itemCount, createRandom(1))
  expect(model.openState(someHistory)).toBeNull()
})
