import { beforeAll, describe, expect, it } from 'vitest'
import { randomHistory } from '../../../test/check-causality.ts'
import {
  createExposureWorld,
  meanOf,
  rankCorrelation,
  worldDimension,
  worldItems,
  worldNoise,
} from '../../../test/exposure-world.ts'
import type { ExposureWorld } from '../../../test/exposure-world.ts'
import { recordGradients } from '../../../test/record-gradients.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { gru4recParity } from '../gru4rec-parity.ts'
import { gru4rec } from '../gru4rec.ts'
import { squaredError } from '../losses/reward.ts'
import { sampled } from '../losses/sampled.ts'
import { softmax } from '../losses/softmax.ts'
import type { Loss } from '../losses/loss.ts'
import { adam, lazyAdam } from '../optimizers/optimizers.ts'
import { createSequenceModel } from '../sequence-model.ts'
import type { Architecture, SequenceModel } from '../sequence-model.ts'
import { nextItemExample } from './examples.ts'
import { fineTune } from './fine-tune.ts'
import type { Feedback } from './feedback.ts'
import { createItemDeviations } from './item-deviations.ts'
import type { ItemDeviations } from './item-deviations.ts'
import { createTrainer } from './trainer.ts'
import type { Example } from './trainer.ts'

const itemCount = 30
const priorDeviation = 0.2
const priorWeight = 0.7
const observationsOf = (item: number) => item % 7

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

type Create = (options: { dimension: number; window: number }) => Architecture

const open = (architecture: Create = gru4rec, items = itemCount, seed = 1) =>
  createSequenceModel(engine, architecture({ dimension: 4, window: 9 }), items, createRandom(seed))
const deviationsOf = (model: SequenceModel) =>
  createItemDeviations(model, { priorDeviation, observationsOf, priorWeight })
const exampleFor = ({ architecture }: SequenceModel) =>
  nextItemExample(
    [3, 5, 2].map((length) => randomHistory(length, createRandom(length))),
    architecture.withStart,
  )

describe('a step on drawn embeddings', () => {
  /** θ is so large that loss and prior have similar effects on ρ. */
  const loud: Create = (options) => gru4rec({ ...options, decoderScale: 20 })

  /** The weighted divergence of this example, from its formula. */
  function divergence({ table }: ItemDeviations, { batch, targets }: Example, loss: Loss): number {
    const { values } = table.items
    let sum = 0
    for (let item = 0; item < itemCount; item++) {
      const aimed = targets.items.filter((target) => target === item).length
      const appears = loss.scoresAll || batch.rows.includes(item + 1)
      const looks = Math.max(aimed, appears ? 1 : 0)
      for (const rho of values.subarray(4 * item, 4 * item + 4)) {
        const variance = (Math.log(1 + Math.exp(rho)) / Math.log(2)) ** 2
        sum += ((looks / Math.max(1, item % 7)) * (variance - 1 - Math.log(variance))) / 2
      }
    }
    return (priorWeight * sum) / targets.items.length
  }

  it.each([
    ['squared error', squaredError(), 'all', loud],
    ['squared error on touched rows', squaredError(), 'touched', loud],
    ['softmax', softmax(), 'all', loud],
    ['squared error beside biases', squaredError(), 'all', gru4recParity],
    ['squared error beside biases, touched', squaredError(), 'touched', gru4recParity],
  ] as const)('has the gradients of its loss and prior: %s', (_, loss, rows, architecture) => {
    const model = open(architecture)
    const deviations = deviationsOf(model)
    const start = createRandom(4)
    const { parameter } = deviations.table
    parameter.value.values.forEach((_rho, i, values) => (values[i] = start.normal()))
    const optimizer = recordGradients(rows)
    const trainer = createTrainer(model, { loss, optimizer, deviations })
    const example = exampleFor(model)
    const objective = () =>
      trainer.step(example, createRandom(5)).loss + divergence(deviations, example, loss)
    objective()
    const gradients = { ...optimizer.gradients }
    let steepest = 0
    for (const { name, value } of [model.table.parameter, parameter]) {
      for (let i = 0; i < value.values.length; i++) {
        const [at, h] = [value.values[i]!, 1e-2]
        value.values[i] = at + h
        const above = objective()
        value.values[i] = at - h
        const slope = (above - objective()) / (2 * h)
        value.values[i] = at
        expect(Math.abs(gradients[name]![i]! - slope), `${name} ${i}`).toBeLessThan(1e-3)
        if (name === parameter.name) steepest = Math.max(steepest, Math.abs(slope))
      }
    }
    expect(steepest).toBeGreaterThan(0.02)
  })

  it('draws new noise at each step, depending only on the seed', () => {
    const model = open()
    const options = { loss: squaredError(), optimizer: recordGradients('touched') }
    const trainer = createTrainer(model, { ...options, deviations: deviationsOf(model) })
    const random = createRandom(5)
    const losses = [random, random, createRandom(5)].map(
      (stream) => trainer.step(exampleFor(model), stream).loss,
    )
    expect(losses[1]).not.toBe(losses[0])
    expect(losses[2]).toBe(losses[0])
  })

  it('adds no noise to the start vector', () => {
    const model = open()
    const options = { loss: squaredError(), optimizer: adam(engine, model.workspace) }
    const deviations = deviationsOf(model)
    createTrainer(model, { ...options, deviations }).step(exampleFor(model), createRandom(1))
    const { values } = deviations.table.parameter.value
    expect(values.subarray(0, 4).every((rho) => rho === 0)).toBe(true)
    expect(values.some((rho) => rho !== 0)).toBe(true)
  })

  it('also draws noise for sampled negatives', () => {
    const model = open()
    const support = Float64Array.from({ length: itemCount }, (_, item) => (item === 29 ? 1 : 0))
    const loss = sampled({ kind: 'cross-entropy', negatives: 1, support, alpha: 1 })
    const options = { loss, optimizer: lazyAdam(engine, model.workspace) }
    const deviations = deviationsOf(model)
    const example = nextItemExample([randomHistory(3, createRandom(1))], true)
    expect(example.targets.items).not.toContain(29)
    createTrainer(model, { ...options, deviations }).step(example, createRandom(1))
    expect(deviations.deviations()[29]).not.toBe(Math.fround(priorDeviation))
  })
})

describe('learned deviations', () => {
  it.each([adam, lazyAdam])('grow with the catalog, new items at the prior', (create) => {
    const model = open()
    const deviations = deviationsOf(model)
    const optimizer = create(engine, model.workspace)
    const trainer = createTrainer(model, { loss: squaredError(), optimizer, deviations })
    trainer.step(exampleFor(model), createRandom(1))
    const before = [...deviations.deviations()]
    model.addItems(3)
    const prior = Math.fround(priorDeviation)
    expect([...deviations.deviations()]).toEqual([...before, prior, prior, prior])
    const [history, observations] = [
      randomHistory(2, createRandom(1)),
      [{ after: 1, item: 31, reward: 1 }],
    ]
    const options = { random: createRandom(1), clock: () => 0, steps: 1, optimizer, deviations }
    fineTune(model, [{ history, observations }], [], { ...options, loss: squaredError() })
    const after = deviations.deviations()
    expect([after[30], after[32]]).toEqual([prior, prior])
    expect(after[31]).not.toBe(prior)
  })

  it('are those of the dimension with the largest deviation', () => {
    const model = open()
    const deviations = deviationsOf(model)
    deviations.table.items.values.set([-1, -3, 2, 0], 4)
    const softplus = Math.log(1 + Math.exp(2))
    expect(deviations.deviations()[1]).toBeCloseTo((priorDeviation * softplus) / Math.LN2, 6)
  })

  it.each([0, -1, Number.NaN, Infinity])('refuse %f as a prior or its weight', (value) => {
    const code = expect.objectContaining({ code: 'invalid-argument' })
    const create = (options: object) =>
      createItemDeviations(open(), { priorDeviation, observationsOf, ...options })
    expect(() => create({ priorDeviation: value })).toThrow(code)
    expect(() => create({ priorWeight: value })).toThrow(code)
  })
})

describe('deviations learned in a known world', () => {
  function learn(world: ExposureWorld, seed: number): Float32Array {
    const feedback = world.users.map(({ shown }): Feedback => ({
      history: {
        items: Int32Array.from(shown, ({ item }) => item),
        rewards: Float32Array.from(shown, ({ reward }) => reward),
        times: new Float64Array(shown.length),
      },
      observations: shown.map((observed, after) => ({ ...observed, after })),
    }))
    const architecture = gru4rec({ dimension: worldDimension, window: 10, decoderScale: 1 })
    const model = createSequenceModel(engine, architecture, worldItems, createRandom(seed))
    const deviations = createItemDeviations(model, {
      priorDeviation: 0.3,
      observationsOf: (item) => world.counts[item]!,
      priorWeight: worldNoise ** 2,
    })
    fineTune(model, [], feedback, {
      loss: squaredError(),
      optimizer: lazyAdam(engine, model.workspace, { rate: 0.02 }),
      steps: 500,
      replay: 16,
      random: createRandom(seed),
      clock: () => 0,
      deviations,
    })
    return deviations.deviations().map((deviation) => deviation / Math.fround(0.3))
  }

  it.each([11, 12, 13])('decrease with the impressions of an item, seed %d', (seed) => {
    const world = createExposureWorld(seed)
    const relative = learn(world, seed)
    expect(world.never.map((item) => relative[item])).toEqual(world.never.map(() => 1))
    expect(Math.min(world.rarely.length, world.often.length, world.never.length)).toBeGreaterThan(4)
    expect(meanOf(relative, world.often)).toBeLessThan(0.7)
    expect(meanOf(relative, world.rarely)).toBeGreaterThan(1.4 * meanOf(relative, world.often))
    const shown = [...world.counts.keys()].filter((item) => world.counts[item]! > 0)
    const at = (values: ArrayLike<number>) => shown.map((item) => values[item]!)
    expect(rankCorrelation(at(relative), at(world.counts))).toBeLessThan(-0.8)
  })
})
