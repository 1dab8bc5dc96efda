// Training over a log in epochs of batches. It reports progress after every step, validates after
// every epoch and retains the best weights. It is a generator, so that the caller can report
// progress, stop between two steps, or run other work in between.

import { RenError, invalid } from '../../core/errors.ts'
import { restoreRandom } from '../../core/random.ts'
import type { Random } from '../../core/random.ts'
import type { History } from '../batch.ts'
import { requireHistory } from '../batch.ts'
import {
  numberWithin,
  positiveInteger,
  positiveNumber,
  requireSettings,
} from '../../core/settings.ts'
import type { Optimizer, OptimizerState } from '../optimizers/optimizer.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { batchSize, createEpoch, nextItemExample } from './examples.ts'
import { createTrainer } from './trainer.ts'
import type { TrainerOptions } from './trainer.ts'
import { captureWeights, setWeights } from './weights.ts'
import type { NamedValues } from './weights.ts'

/** Settings of {@link train}. */
export interface TrainOptions extends TrainerOptions {
  /** Maximum number of passes over the sequences. */
  readonly epochs: number
  /** The number of sequences per step. */
  readonly batchSize: number
  /** Draws the order of the sequences, dropout and sampled negatives. */
  readonly random: Random
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** Measures the model after every epoch; larger is better. Defaults to no validation. */
  readonly validate?: (model: SequenceModel) => number
  /** Epochs without a better validation before training stops. Defaults to no limit. */
  readonly patience?: number
  /** The factor on the optimizer's rate after every epoch. Defaults to 1. */
  readonly rateDecay?: number
  /**
   * Resumes after the epoch of this state. The result is the same as without the interruption.
   * Defaults to starting at the first epoch.
   */
  readonly resume?: TrainState
}

/**
 * Everything that the remaining epochs depend on besides the options: the content of a checkpoint.
 */
export interface TrainState {
  /** The last completed epoch. */
  readonly epoch: number
  /** Mean loss of that epoch. */
  readonly loss: number
  /** Over all epochs so far. */
  readonly steps: number
  readonly events: number
  readonly weights: NamedValues
  readonly optimizer: OptimizerState
  /** The random stream of the steps, from `Random.save`. */
  readonly random: Uint32Array
  readonly best: ValidatedWeights | null
}

/** Weights and their validation. */
export interface ValidatedWeights {
  readonly epoch: number
  readonly value: number
  readonly weights: NamedValues
}

/** The progress of a training after one step. */
export interface TrainProgress {
  /** The current epoch, counted from 1. */
  readonly epoch: number
  /** The maximum number of epochs. */
  readonly epochs: number
  /** The number of completed steps of this epoch. */
  readonly step: number
  /** The number of steps per epoch. */
  readonly steps: number
  /** The mean loss per target of this epoch so far. */
  readonly loss: number
  /** The number of training targets per second since the start or the resumption. */
  readonly eventsPerSecond: number
  /** The estimated seconds until the last epoch ends. */
  readonly secondsLeft: number
  /** The value of `validate`; absent except on the last step of an epoch that was validated. */
  readonly validation?: number
  /**
   * Returns the state for `resume`. Call it before the next step. Absent except on the last step of
   * an epoch, and if the optimizer cannot be saved.
   */
  readonly state?: () => TrainState
}

/** The result of a training. */
export interface TrainReport {
  /** The mean loss per target of the last epoch. */
  readonly loss: number
  /** The number of epochs. */
  readonly epochs: number
  /** The number of optimizer steps, including those before a resumption. */
  readonly steps: number
  /** The number of training targets, including those before a resumption. */
  readonly events: number
  /** The number of training targets per second since the start or the resumption. */
  readonly eventsPerSecond: number
  /** The best validation, whose weights the model has; absent without `validate`. */
  readonly validation?: number
}

/** The loss and the number of events of one step. */
type StepCounts = Pick<TrainReport, 'loss' | 'events'>

/** The steps of an epoch; each runs one update. */
type EpochSteps = Iterable<() => StepCounts> & { readonly length: number }

/** Settings of all training over epochs. */
export const epochOptions = {
  epochs: positiveInteger('Maximum number of epochs'),
  patience: numberWithin('integer', { minimum: 1, infinite: true })(
    'Epochs without a better validation before training stops',
  ),
  rateDecay: positiveNumber('Factor on the rate after every epoch'),
}

/**
 * Trains a model to predict the next item of each history. Returns a generator that takes one step
 * per `next()`, so that you can report progress, interleave other work or stop; {@link finish} runs
 * it to its end.
 *
 * @example
 * ```ts
 * import { byUser, createRandom } from 'ren-recommender'
 * import { readCsv } from 'ren-recommender/datasets'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { adam, createSequenceModel, gru4rec, softmax, train } from 'ren-recommender/models'
 *
 * const { log } = await readCsv('log.csv')
 * const engine = await createEngine()
 * const model = createSequenceModel(engine, gru4rec(), log.itemNames.length, createRandom(1))
 * const steps = train(model, byUser(log), {
 *   epochs: 10,
 *   batchSize: 32,
 *   loss: softmax(),
 *   optimizer: adam(engine, model.workspace, { rate: 0.004 }),
 *   random: createRandom(2),
 *   clock: () => performance.now(),
 * })
 * for (const { epoch, loss } of steps) console.log(epoch, loss)
 * ```
 */
export function train(
  model: SequenceModel,
  histories: readonly History[],
  options: TrainOptions,
): Generator<TrainProgress, TrainReport> {
  const { window, withStart } = model.architecture
  const { random } = options
  requireSettings('train', { ...epochOptions, batchSize }, options)
  for (const history of histories) requireHistory(history, model.itemCount)
  const trainer = createTrainer(model, options)
  return runEpochs(model, options, (epoch, steps) =>
    createEpoch(histories, { ...options, window, withStart }, random.fork(`epoch ${epoch}`)).map(
      (pieces) => () => {
        const example = nextItemExample(pieces, withStart)
        return { loss: trainer.step(example, steps).loss, events: example.targets.rows.length }
      },
    ),
  )
}

type EpochOptions = Omit<TrainOptions, 'batchSize'>

/**
 * Runs the epochs with progress, validation and early stopping. The model ends with the weights of
 * the best validation, or with the last weights without validation. After an error it has its old
 * weights.
 *
 * @param stepsOf Returns the steps of an epoch, which draw from the given random stream.
 */
export function* runEpochs(
  model: SequenceModel,
  options: EpochOptions,
  stepsOf: (epoch: number, random: Random) => EpochSteps,
): Generator<TrainProgress, TrainReport> {
  const { epochs, patience = Infinity, deviations, optimizer, resume, rateDecay = 1 } = options
  requireRateDecay(optimizer, rateDecay)
  const old = captureWeights(model, deviations)
  const random = resume ? restoreRandom(resume.random) : options.random.fork('steps')
  const tally = createTally(options)
  const epochEnds = watchEpochs(model, options, tally, random)
  try {
    for (let epoch = (resume?.epoch ?? 0) + 1; epoch <= epochs; epoch++) {
      if (epoch - 1 - (epochEnds.best?.epoch ?? Infinity) >= patience) break
      optimizer.scaleRate?.(rateDecay ** (epoch - 1))
      const steps = stepsOf(epoch, random)
      if (steps.length === 0) {
        throw invalid('training needs at least one event to predict, but the log has none')
      }
      tally.begin(epoch, steps.length)
      for (const step of steps) {
        const progress = tally.add(step())
        yield progress.step < steps.length ? progress : { ...progress, ...epochEnds.end(epoch) }
      }
    }
  } catch (error) {
    epochEnds.best = null
    old.restore()
    throw error
  } finally {
    if (epochEnds.best !== null) setWeights(model, epochEnds.best.weights, deviations)
  }
  return { ...tally.report(), ...(epochEnds.best && { validation: epochEnds.best.value }) }
}

/** Validates the model at the end of each epoch and retains the best weights. */
function watchEpochs(
  model: SequenceModel,
  options: EpochOptions,
  tally: ReturnType<typeof createTally>,
  random: Random,
) {
  const { validate, optimizer, deviations, resume } = options
  const weights = (): NamedValues => captureWeights(model, deviations).values
  const watch = {
    best: resume ? load(model, options, resume) : null,
    end(epoch: number): Pick<TrainProgress, 'validation' | 'state'> {
      const resumable = optimizer.save && { state: () => stateAfter(epoch) }
      if (validate === undefined) return { ...resumable }
      const value = validate(model)
      // NaN cannot be compared with other validations.
      if (typeof value !== 'number' || Number.isNaN(value)) {
        throw new RenError('non-finite-result', `validate must return a number, got ${value}`)
      }
      if (watch.best === null || value > watch.best.value) {
        watch.best = { value, epoch, weights: weights() }
      }
      return { validation: value, ...resumable }
    },
  }
  const stateAfter = (epoch: number): TrainState => ({
    epoch,
    ...tally.totals(),
    weights: weights(),
    optimizer: optimizer.save!(),
    random: random.save(),
    best: watch.best,
  })
  return watch
}

/** Loads a state into the model and the optimizer. Returns the best validation so far. */
function load(
  model: SequenceModel,
  { optimizer, deviations }: EpochOptions,
  state: TrainState,
): ValidatedWeights | null {
  if (optimizer.load === undefined) {
    throw invalid(`resume: ${optimizer.name} cannot continue from a state`)
  }
  setWeights(model, state.weights, deviations)
  optimizer.load(state.optimizer)
  return state.best
}

/** Counts steps and events, and computes the progress. */
function createTally({ epochs, clock, resume }: EpochOptions) {
  const start = clock()
  const seconds = () => Math.max(1e-9, (clock() - start) / 1000)
  const before = resume ?? { epoch: 0, steps: 0, events: 0, loss: Number.NaN }
  let { epoch, steps, events } = before
  let [step, stepsInEpoch] = [0, 0]
  let [sum, count] = [0, 0] // of losses and events in this epoch
  const lossOfEpoch = () => (count > 0 ? sum / count : before.loss)
  return {
    begin(nextEpoch: number, length: number) {
      ;[epoch, step, stepsInEpoch, sum, count] = [nextEpoch, 0, length, 0, 0]
    },
    add(result: StepCounts): TrainProgress {
      step += 1
      steps += 1
      events += result.events
      count += result.events
      sum += result.loss * result.events
      const done = epoch - 1 + step / stepsInEpoch
      const share = (done - before.epoch) / (epochs - before.epoch) // since the start or resumption
      return {
        epoch,
        epochs,
        step,
        steps: stepsInEpoch,
        loss: sum / count,
        eventsPerSecond: (events - before.events) / seconds(),
        secondsLeft: (seconds() * (1 - share)) / share,
      }
    },
    totals: () => ({ loss: lossOfEpoch(), steps, events }),
    report: () => ({
      loss: lossOfEpoch(),
      epochs: epoch,
      steps,
      events,
      eventsPerSecond: (events - before.events) / seconds(),
    }),
  }
}

function requireRateDecay({ name, scaleRate }: Optimizer, rateDecay: number): void {
  if (rateDecay === 1 || scaleRate !== undefined) return
  throw invalid(`rateDecay must be 1, because the rate of ${name} is fixed, got ${rateDecay}`)
}

/** Runs a generator to its end and returns its result. */
export function finish<R>(generator: Generator<unknown, R>): R {
  for (;;) {
    const { done, value } = generator.next()
    if (done) return value
  }
}
