import { beforeAll, describe, expect, it } from 'vitest'

import { checkCausality, checkPadding, kernels } from '../../test/check-causality.ts'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { lastEvents } from './batch.ts'
import type { History } from './batch.ts'
import { gru4rec } from './gru4rec.ts'
import { hrnn } from './hrnn.ts'
import { squaredError } from './losses/reward.ts'
import { adam } from './optimizers/optimizers.ts'
import { createSequenceModel } from './sequence-model.ts'
import type { Architecture, SequenceModel } from './sequence-model.ts'
import { nextItemExample } from './training/examples.ts'
import { createTrainer } from './training/trainer.ts'

const hour = 3_600_000
const options = { dimension: 8, window: 20 }
const history: History = {
  items: Int32Array.of(3, 1, 4, 1),
  rewards: Float32Array.of(1, 0, 0.5, 2),
  times: Float64Array.of(0, 1000, 5 * hour, 5 * hour + 60_000),
}

describe.each(kernels)('HRNN on the %s kernels', (kernel) => {
  it('gives a history the same θ bit for bit in any batch', () =>
    checkPadding(hrnn({ dimension: 10, window: 20 }), kernel))

  it('does not depend on later events', () =>
    checkCausality(hrnn({ dimension: 10, window: 20 }), kernel))
})

describe('HRNN', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  const build = (architecture: Architecture) =>
    createSequenceModel(engine, architecture, 6, createRandom(5))
  const thetaOf = (model: SequenceModel, past: History = history): number[] => {
    const theta = new Float32Array(model.dimension)
    model.userEmbedding(past, theta)
    return [...theta]
  }
  const weightsOf = (model: SequenceModel) =>
    model.parameters.map(({ name, value }) => ({ name, values: [...value.values] }))
  const controlsOf = ({ parameters }: SequenceModel) =>
    parameters.find(({ name }) => name.includes('controls'))!.value.values
  const trainOneStep = (model: SequenceModel, on: History = history) => {
    const optimizer = adam(engine, model.workspace)
    createTrainer(model, { loss: squaredError(), optimizer }).step(
      nextItemExample([on], true),
      createRandom(1),
    )
  }

  it('equals GRU4Rec without control signals, before and after training', () => {
    const [plain, controlled] = [
      build(gru4rec(options)),
      build(hrnn({ ...options, controls: false })),
    ]
    expect(weightsOf(controlled)).toEqual(weightsOf(plain))
    expect(thetaOf(controlled)).toEqual(thetaOf(plain))
    for (const model of [plain, controlled]) trainOneStep(model)
    expect(weightsOf(controlled)).toEqual(weightsOf(plain))
    expect(thetaOf(controlled)).toEqual(thetaOf(plain))
  })

  it('gives the θ of GRU4Rec if all control signals are zero', () => {
    const [plain, controlled] = [build(gru4rec(options)), build(hrnn(options))]
    expect(thetaOf(controlled)).not.toEqual(thetaOf(plain))
    controlsOf(controlled).fill(0)
    expect(thetaOf(controlled)).toEqual(thetaOf(plain))
  })

  it('depends only on the seed, before and after training', () => {
    const models = [build(hrnn(options)), build(hrnn(options))]
    for (const model of models) trainOneStep(model)
    expect(weightsOf(models[1]!)).toEqual(weightsOf(models[0]!))
    expect(thetaOf(models[1]!)).toEqual(thetaOf(models[0]!))
  })

  it('shares all other weights with GRU4Rec of the same seed', () => {
    const rest = weightsOf(build(hrnn(options))).filter(({ name }) => !name.includes('controls'))
    expect(rest).toEqual(weightsOf(build(gru4rec(options))))
  })

  it('distinguishes histories of the same items by their times and rewards', () => {
    const model = build(hrnn(options))
    const later = { ...history, times: history.times.with(1, 3 * hour) }
    const liked = { ...history, rewards: history.rewards.with(1, 1) }
    expect(thetaOf(model, later)).not.toEqual(thetaOf(model))
    expect(thetaOf(model, liked)).not.toEqual(thetaOf(model))
  })

  it('learns its control signals', () => {
    const model = build(hrnn(options))
    const before = [...controlsOf(model)]
    trainOneStep(model)
    expect([...controlsOf(model)]).not.toEqual(before)
  })

  it('uses the true gap before the first event of its window', () => {
    const model = build(hrnn({ ...options, window: 2 }))
    const [theta, later] = [
      thetaOf(model),
      { ...history, times: history.times.with(1, 4.9 * hour) },
    ]
    expect(thetaOf(model, later)).not.toEqual(theta)
    expect(thetaOf(model, lastEvents(history, 2))).toEqual(theta)
    const { timeBefore: _, ...cutOff } = lastEvents(history, 2)
    expect(thetaOf(model, cutOff)).not.toEqual(theta)
  })

  describe('with context', () => {
    const inContext = (values: readonly number[]): History => ({
      ...history,
      context: Float32Array.from(values),
    })
    const some = inContext([1, 2, 0, -1, 3, 0.5, 0, 4])
    const reader = () => build(hrnn({ ...options, contextWidth: 2 }))

    it('of zeros, or without context, gives the θ of a model without context', () => {
      const [plain, reading] = [thetaOf(build(hrnn(options))), reader()]
      expect(thetaOf(reading)).toEqual(plain)
      expect(thetaOf(reading, inContext([0, 0, 0, 0, 0, 0, 0, 0]))).toEqual(plain)
      expect(thetaOf(build(hrnn(options)), some)).toEqual(plain)
    })

    it('gives another θ for another context of any event', () => {
      const model = reader()
      const theta = thetaOf(model, some)
      for (const at of some.context!.keys()) {
        expect(thetaOf(model, { ...some, context: some.context!.with(at, 9) })).not.toEqual(theta)
      }
    })

    it('reads only the context within its window', () => {
      const model = build(hrnn({ ...options, window: 2, contextWidth: 2 }))
      const theta = thetaOf(model, some)
      expect(thetaOf(model, { ...some, context: some.context!.with(3, 9) })).toEqual(theta)
      expect(thetaOf(model, { ...some, context: some.context!.with(4, 9) })).not.toEqual(theta)
    })

    it('learns the meaning of context', () => {
      const model = reader()
      const meaning = controlsOf(model).slice(-2 * options.dimension)
      trainOneStep(model, some)
      const learned = controlsOf(model).slice(-2 * options.dimension)
      expect([...learned]).not.toEqual([...meaning])
    })

    it('of another width is refused', () => {
      expect(() => thetaOf(reader(), inContext([1, 2, 3, 4]))).toThrow(
        expect.objectContaining({ code: 'shape-mismatch' }),
      )
    })
  })

  it.each([
    { contextWidth: -1 },
    { contextWidth: 0.5 },
    { contextWidth: 1, controls: false },
    { dimension: 0 },
    { dimension: 2.5 },
    { window: 0 },
    { window: Number.NaN },
  ])('refuses %j', (bad) => {
    expect(() => hrnn(bad)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a session gap of %s', (gap) => {
    expect(() => hrnn({ sessionGap: gap })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
