import { beforeAll, describe, expect, it } from 'vitest'
import { randomHistory } from '../../../test/check-causality.ts'
import { overflowing } from '../../../test/overflow.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { gru4rec } from '../gru4rec.ts'
import type { Loss } from '../losses/loss.ts'
import { squaredError } from '../losses/reward.ts'
import { softmax } from '../losses/softmax.ts'
import { adagrad, adam, lazyAdam } from '../optimizers/optimizers.ts'
import { createSequenceModel } from '../sequence-model.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { finish, train } from './train.ts'
import type { TrainOptions } from './train.ts'

const log = [4, 7, 1, 12, 0].map((length) => randomHistory(length, createRandom(length)))

describe('training', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'reference' })
  })

  const open = () =>
    createSequenceModel(engine, gru4rec({ dimension: 4, window: 5 }), 30, createRandom(1))
  const weightsOf = (model: SequenceModel) =>
    model.parameters.map(({ value }) => value.values.slice())
  function start(model: SequenceModel, options: Partial<TrainOptions> = {}, histories = log) {
    return train(model, histories, {
      loss: softmax(),
      optimizer: adam(engine, model.workspace, { rate: 0.01 }),
      epochs: 3,
      batchSize: 2,
      random: createRandom(2),
      clock: () => 0,
      ...options,
    })
  }

  it('reports progress, speed and remaining time after every step', () => {
    let time = 5000
    const clock = () => (time += 10)
    const training = start(open(), { clock })
    const reported = []
    let next = training.next()
    for (; !next.done; next = training.next()) reported.push(next.value)
    // Pieces of 4, 6 + 1, 1 and 6 + 6 events, two per batch: three batches per epoch.
    expect(reported.map(({ epoch, step }) => [epoch, step])).toEqual(
      [1, 2, 3].flatMap((epoch) => [1, 2, 3].map((step) => [epoch, step])),
    )
    for (const [i, progress] of reported.entries()) {
      expect(progress).toMatchObject({ epochs: 3, steps: 3 })
      expect(Number.isFinite(progress.loss)).toBe(true)
      expect(progress.eventsPerSecond).toBeGreaterThan(0)
      expect(Number.isFinite(progress.eventsPerSecond)).toBe(true)
      expect(progress.secondsLeft).toBeGreaterThanOrEqual(0)
      // The clock advances 10 ms per read, and is read twice per step.
      expect(progress.secondsLeft).toBeCloseTo((0.01 * (2 * i + 2) * (8 - i)) / (i + 1), 6)
      expect(progress).not.toHaveProperty('validation')
    }
    expect(next.value).toMatchObject({ epochs: 3, steps: 9, events: 3 * 24 })
    expect(next.value).not.toHaveProperty('validation')
  })

  it('reports finite numbers if the clock does not advance', () => {
    const progress = start(open()).next().value
    expect(Object.values(progress).every(Number.isFinite)).toBe(true)
  })

  it('retains the weights of the best validation and stops without improvement', () => {
    const model = open()
    const values = [0.1, 0.5, 0.4, 0.3, 0.9]
    const seen: Float32Array[][] = []
    const validate = (trained: SequenceModel) => {
      seen.push(weightsOf(trained))
      return values[seen.length - 1]!
    }
    const training = start(model, { epochs: 5, patience: 2, validate })
    const reported = []
    let next = training.next()
    for (; !next.done; next = training.next()) reported.push(next.value)
    expect(reported.flatMap(({ validation }) => validation ?? [])).toEqual([0.1, 0.5, 0.4, 0.3])
    expect(reported.flatMap(({ step, validation }) => (validation ? [step] : []))).toEqual([
      3, 3, 3, 3,
    ])
    expect(next.value).toMatchObject({ epochs: 4, steps: 12, validation: 0.5 })
    expect(weightsOf(model)).toEqual(seen[1])
    expect(seen[3]).not.toEqual(seen[1])
  })

  it('multiplies the rate by rateDecay after every epoch, also after resuming', () => {
    const sharesOf = (options: Partial<TrainOptions>) => {
      const model = open()
      const shares: number[] = []
      const optimizer = adam(engine, model.workspace, { rate: 0.01 })
      const scaleRate = (share: number) => void shares.push(share)
      const training = start(model, {
        optimizer: Object.assign(optimizer, { scaleRate }),
        ...options,
      })
      let state
      for (const progress of training) state = progress.state?.() ?? state
      return { shares, state }
    }
    expect(sharesOf({}).shares).toEqual([1, 1, 1])
    const { shares, state } = sharesOf({ epochs: 2, rateDecay: 0.5 })
    expect(shares).toEqual([1, 0.5])
    expect(sharesOf({ rateDecay: 0.5, resume: state! }).shares).toEqual([0.25])
  })

  it('refuses rateDecay for an optimizer with a fixed rate', () => {
    const model = open()
    const training = start(model, {
      loss: squaredError(),
      optimizer: adagrad(engine, model.workspace),
      rateDecay: 0.5,
    })
    expect(() => training.next()).toThrow(
      'rateDecay must be 1, because the rate of adagrad is fixed, got 0.5',
    )
  })

  it('runs all epochs without patience, and still retains the best weights', () => {
    const model = open()
    const seen: Float32Array[][] = []
    const validate = (trained: SequenceModel) => -seen.push(weightsOf(trained))
    expect(finish(start(model, { validate }))).toMatchObject({ epochs: 3, validation: -1 })
    expect(weightsOf(model)).toEqual(seen[0])
  })

  it('invalidates states opened before the best weights were restored', () => {
    const model = open()
    const states = []
    const training = start(model, { validate: () => -states.length })
    for (let next = training.next(); !next.done; next = training.next()) {
      states.push(model.openState(log[0]!)!)
    }
    expect(states.map(({ current }) => current)).toEqual(states.map(() => false))
    expect(model.openState(log[0]!)!.current).toBe(true)
  })

  it.each([adam, lazyAdam])(
    'restores the old weights after an error, even if some were better',
    (o) => {
      const model = open()
      const before = weightsOf(model)
      let epochs = 0
      const validate = () => {
        if (epochs++ === 1) throw new Error('no')
        return 1
      }
      const optimizer = o(engine, model.workspace)
      const training = start(model, { loss: squaredError(), optimizer, validate })
      expect(() => finish(training)).toThrow('no')
      expect(weightsOf(model)).toEqual(before)
    },
  )

  it('restores the old weights after a non-finite loss late in an epoch', () => {
    const model = open()
    const before = weightsOf(model)
    const sound = squaredError()
    let steps = 0
    const loss: Loss = {
      ...sound,
      apply: (...step) => (steps++ < 4 ? sound.apply(...step) : Number.NaN),
    }
    expect(() => finish(start(model, { loss }))).toThrow('the loss became NaN')
    expect(steps).toBe(5)
    expect(weightsOf(model)).toEqual(before)
  })

  it('leaves the best weights, or the last ones, when stopped early', () => {
    const model = open()
    const [plain, validated] = [start(model), start(model, { validate: () => 1 })]
    for (let step = 0; step < 4; step++) plain.next()
    const last = weightsOf(model)
    plain.return({ loss: 0, epochs: 0, steps: 0, events: 0, eventsPerSecond: 0 })
    expect(weightsOf(model)).toEqual(last)
    for (let step = 0; step < 3; step++) validated.next()
    const best = weightsOf(model)
    validated.next()
    expect(weightsOf(model)).not.toEqual(best)
    validated.return({ loss: 0, epochs: 0, steps: 0, events: 0, eventsPerSecond: 0 })
    expect(weightsOf(model)).toEqual(best)
  })

  it('refuses a log without events to predict', () => {
    const empty = log.slice(-1)
    expect(() => finish(start(open(), {}, empty))).toThrow('needs at least one event to predict')
  })

  it.each([adam, lazyAdam])(
    'restores the old weights after the last update overflows',
    (create) => {
      const model = open()
      const before = weightsOf(model)
      const optimizer = overflowing(create(engine, model.workspace))
      const training = start(model, {
        loss: squaredError(),
        optimizer,
        epochs: 1,
        batchSize: 100,
      })
      expect(() => finish(training)).toThrow(
        expect.objectContaining({
          code: 'non-finite-result',
          message: expect.stringMatching(/^the weights of .* became -?(Infinity|NaN)/),
        }),
      )
      expect(weightsOf(model)).toEqual(before)
    },
  )

  it('refuses a NaN validation, and restores the old weights', () => {
    const model = open()
    const before = weightsOf(model)
    expect(() => finish(start(model, { validate: () => Number.NaN }))).toThrow(
      expect.objectContaining({
        code: 'non-finite-result',
        message: 'validate must return a number, got NaN',
      }),
    )
    expect(weightsOf(model)).toEqual(before)
  })

  it.each([
    [{ epochs: 0 }, 'train.epochs must be an integer of at least 1'],
    [{ epochs: 1.5 }, 'train.epochs must be an integer of at least 1'],
    [{ epochs: Infinity }, 'train.epochs must be an integer of at least 1'],
    [{ batchSize: 0 }, 'train.batchSize must be an integer of at least 1'],
    [{ patience: 0 }, 'train.patience must be an integer of at least 1, or Infinity'],
    [{ clip: 0 }, 'training.clip must be a positive number'],
    [{ clip: Number.NaN }, 'training.clip must be a positive number'],
  ])('refuses %o at once', (options, message) => {
    expect(() => start(open(), options)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining(message),
      }),
    )
  })
})
