// Training over a log: epochs of batches, with progress after every step, validation after every
// epoch, and the best weights kept. A generator, so that whoever drives it can show the progress,
// stop between two steps, or run other work in between.

import { RenError } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import type { History } from '../batch.ts'
import { requireHistory } from '../require-history.ts'
import { optional, requireOptions, wholeNumber, wholeNumberOrInfinity } from '../require-options.ts'
import type { SequenceModel } from '../sequence-model.ts'
import type { Kept } from '../way-back.ts'
import { createEpoch, nextItemExample } from './examples.ts'
import { createTrainer } from './trainer.ts'
import type { TrainerOptions } from './trainer.ts'
import { keepWeights } from './weights.ts'

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
}

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
}

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
export type EpochSteps = Iterable<() => { readonly loss: number; readonly events: number }> & {
  readonly length: number
}

/** What every way of training over epochs expects of its options. */
export const epochOptions = {
  epochs: wholeNumber(),
  patience: optional(wholeNumberOrInfinity()),
}

export function train(
  model: SequenceModel,
  histories: readonly History[],
  options: TrainOptions,
): Generator<TrainProgress, TrainReport> {
  const { window, withStart } = model.architecture
  const { batchSize, random } = options
  requireOptions('train', options, { ...epochOptions, batchSize: wholeNumber() })
  for (const history of histories) requireHistory(history, model.itemCount)
  const trainer = createTrainer(model, options)
  const steps = random.fork('steps')
  return runEpochs(model, options, (epoch) =>
    createEpoch(histories, { window, withStart, batchSize }, random.fork(`epoch ${epoch}`)).map(
      (pieces) => () => {
        const example = nextItemExample(pieces, withStart)
        return { loss: trainer.step(example, steps).loss, events: example.targets.rows.length }
      },
    ),
  )
}

/**
 * Drives epochs: progress, validation, early stopping. The model ends with the weights that were
 * validated best, or the last ones where none were; after an error, with the old ones.
 */
export function* runEpochs(
  model: SequenceModel,
  options: Pick<TrainOptions, 'epochs' | 'clock' | 'validate' | 'patience' | 'deviations'>,
  stepsOf: (epoch: number) => EpochSteps,
): Generator<TrainProgress, TrainReport> {
  const { epochs, validate, patience = Number.POSITIVE_INFINITY, deviations } = options
  const tally = createTally(options)
  const keep = () => keepWeights(model, deviations)
  const old = keep()
  let best: Validated | undefined
  try {
    for (let epoch = 1; epoch <= epochs; epoch++) {
      const steps = stepsOf(epoch)
      requireSteps(steps)
      tally.begin(epoch, steps.length)
      for (const step of steps) {
        const progress = tally.add(step())
        if (progress.step < steps.length || validate === undefined) {
          yield progress
          continue
        }
        const value = validated(validate(model))
        if (best === undefined || value > best.value) best = { value, epoch, ...keep() }
        yield { ...progress, validation: value }
      }
      if (best !== undefined && epoch - best.epoch >= patience) break
    }
  } catch (error) {
    best = undefined
    old.restore()
    throw error
  } finally {
    best?.restore()
  }
  return { ...tally.report(), ...(best && { validation: best.value }) }
}

/** Weights that were validated, and how well they did. */
interface Validated extends Kept {
  readonly value: number
  readonly epoch: number
}

type Counted = { readonly loss: number; readonly events: number }

/** Counts steps and events, and says how far training is. */
function createTally({ epochs, clock }: Pick<TrainOptions, 'epochs' | 'clock'>) {
  const start = clock()
  const seconds = () => Math.max(1e-9, (clock() - start) / 1000)
  let [epoch, step, stepsInEpoch, steps, events] = [0, 0, 0, 0, 0]
  let [sum, count] = [0, 0] // of losses and events in this epoch
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
      const share = (epoch - 1 + step / stepsInEpoch) / epochs
      return {
        epoch,
        epochs,
        step,
        steps: stepsInEpoch,
        loss: sum / count,
        eventsPerSecond: events / seconds(),
        secondsLeft: (seconds() * (1 - share)) / share,
      }
    },
    report: () => ({
      loss: sum / count,
      epochs: epoch,
      steps,
      events,
      eventsPerSecond: events / seconds(),
    }),
  }
}

/** NaN is neither better nor worse than anything, so that no weights could be called the best. */
function validated(value: number): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  throw new RenError('non-finite-result', `validate must return a number, got ${value}`)
}

function requireSteps({ length }: EpochSteps): void {
  if (length > 0) return
  throw new RenError('invalid-argument', 'training needs an event to predict, the log has none')
}

/** Runs a generator to its end and returns what it returns. */
export function finish<R>(generator: Generator<unknown, R>): R {
  for (;;) {
    const { done, value } = generator.next()
    if (done) return value
  }
}
