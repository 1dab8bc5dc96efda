// Training over a log: epochs of batches, with progress after every step, validation after every
// epoch, and the best weights kept. A generator, so that whoever drives it can show the progress,
// stop between two steps, or run other work in between.

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
  readonly epochs: number
  readonly batchSize: number
  readonly random: Random
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** How good the model is now, larger is better; asked after every epoch. */
  readonly validate?: (model: SequenceModel) => number
  /** Epochs without a better validation before training stops. */
  readonly patience?: number
  /** Multiplies the optimizer's rate after every epoch. Defaults to 1: the rate stays. */
  readonly rateDecay?: number
  /** Continues after the epoch of this state, to the same result as without the interruption. */
  readonly resume?: TrainState
}

/** All that the following epochs depend on beside the options: what a checkpoint has to hold. */
export interface TrainState {
  /** The epoch that has ended. */
  readonly epoch: number
  /** Mean loss of that epoch. */
  readonly loss: number
  /** Over all epochs so far. */
  readonly steps: number
  readonly events: number
  readonly weights: NamedValues
  readonly optimizer: OptimizerState
  /** The stream that steps draw from, as `Random.save` describes it. */
  readonly random: Uint32Array
  readonly best: ValidatedWeights | null
}

/** Weights that were validated, and how well they did. */
export interface ValidatedWeights {
  readonly epoch: number
  readonly value: number
  readonly weights: NamedValues
}

/** The progress of a training after one step. */
export interface TrainProgress {
  readonly epoch: number
  readonly epochs: number
  readonly step: number
  readonly steps: number
  readonly loss: number
  readonly eventsPerSecond: number
  readonly secondsLeft: number
  /** Present on the last step of an epoch that was validated. */
  readonly validation?: number
  /**
   * Present on the last step of an epoch, where the optimizer can be saved: what to `resume` from.
   * To be called before the next step.
   */
  readonly state?: () => TrainState
}

/** The result of a training. */
export interface TrainReport {
  readonly loss: number
  readonly epochs: number
  readonly steps: number
  readonly events: number
  readonly eventsPerSecond: number
  /** The best validation, whose weights the model has; absent where none was asked for. */
  readonly validation?: number
}

/** An epoch as a list of steps; each does one update and says what it learnt from. */
type EpochSteps = Iterable<() => { readonly loss: number; readonly events: number }> & {
  readonly length: number
}

/** What every way of training over epochs expects of its options. */
export const epochOptions = {
  epochs: positiveInteger('Maximum of epochs'),
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

type EpochOptions = Pick<
  TrainOptions,
  | 'epochs'
  | 'clock'
  | 'validate'
  | 'patience'
  | 'rateDecay'
  | 'deviations'
  | 'optimizer'
  | 'random'
  | 'resume'
>

/**
 * Drives epochs: progress, validation, early stopping. The model ends with the weights that were
 * validated best, or the last ones where none were; after an error, with the old ones.
 *
 * @param stepsOf The steps of an epoch, which draw from the stream that it is given.
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
      requireSteps(steps)
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

/** Validates the model at the end of each epoch, and holds the weights that did best. */
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
      const value = validated(validate(model))
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

/** Puts a state in place; the best validation so far. */
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

type Counted = { readonly loss: number; readonly events: number }

/** Counts steps and events, and says how far training is. */
function createTally({ epochs, clock, resume }: Pick<TrainOptions, 'epochs' | 'clock' | 'resume'>) {
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
    add(result: Counted): TrainProgress {
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

/** NaN is neither better nor worse than anything, so that no weights could be called the best. */
function validated(value: number): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  throw new RenError('non-finite-result', `validate must return a number, got ${value}`)
}

function requireRateDecay({ name, scaleRate }: Optimizer, rateDecay: number): void {
  if (rateDecay === 1 || scaleRate !== undefined) return
  throw new RenError(
    'invalid-argument',
    `rateDecay: the rate of ${name} is fixed, got ${rateDecay}`,
  )
}

function requireSteps({ length }: EpochSteps): void {
  if (length > 0) return
  throw invalid('training needs an event to predict, the log has none')
}

/** Runs a generator to its end and returns its result. */
export function finish<R>(generator: Generator<unknown, R>): R {
  for (;;) {
    const { done, value } = generator.next()
    if (done) return value
  }
}
