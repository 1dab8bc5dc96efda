// Fine-tuning: a few steps on new feedback and a seeded sample of older feedback, which prevents
// catastrophic forgetting.

import { mean } from '../../core/statistics.ts'
import type { Random } from '../../core/random.ts'
import { requireHistory } from '../batch.ts'
import { numberWithin, positiveInteger, requireSettings } from '../../core/settings.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { feedbackExample } from './feedback.ts'
import type { Feedback, FeedbackPool } from './feedback.ts'
import { lossCheck, rankCheck } from './update-check.ts'
import type { HeldOut, UpdateCheck } from './update-check.ts'
import { createTrainer } from './trainer.ts'
import type { Trainer, TrainerOptions } from './trainer.ts'
import { captureWeights, openJournal } from './weights.ts'

/**
 * Settings of {@link fineTune}. `replay` defaults to 0 and `tolerance` to infinity, which accepts
 * every update.
 */
export interface FineTuneOptions extends Omit<TrainerOptions, 'journal'> {
  /** The number of optimizer steps. */
  readonly steps: number
  /** Sequences of older feedback per step. Defaults to 0. */
  readonly replay?: number
  /** Users held out of training, who evaluate the update. Defaults to none. */
  readonly heldOut?: readonly Feedback[]
  /**
   * Refuses an update after which the loss of `heldOut` exceeds this factor times the loss before
   * it plus a tenth of the mean squared reward. A ranking loss is checked by rank instead: unless
   * this is infinite, an update is refused if the ranks of `heldOut` fall significantly. Defaults
   * to Infinity.
   */
  readonly tolerance?: number
  /** Draws the replayed sequences, dropout and sampled negatives. */
  readonly random: Random
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** Called before each step with the completed share of the steps. Defaults to no calls. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/** The result of one call of {@link fineTune}. */
export interface FineTuneReport {
  /** Mean loss of the last step. */
  readonly loss: number
  /** The number of optimizer steps. */
  readonly steps: number
  /** The number of training targets in all steps. */
  readonly events: number
  /** The number of training targets per second. */
  readonly eventsPerSecond: number
  /** The measure of the held-out users; null without held-out users. */
  readonly heldOut: HeldOut | null
  /** Whether the update was refused, which restores the weights and the optimizer. */
  readonly refused: boolean
}

const settings = {
  steps: positiveInteger('Steps of the optimizer'),
  replay: numberWithin('integer', { minimum: 0, infinite: true })('Older sequences per step'),
  tolerance: numberWithin('number', { exclusiveMinimum: 0, infinite: true })(
    'Maximum factor by which the loss of held-out users may grow',
  ),
}

/**
 * Trains a model for a few steps on new feedback and on samples of older feedback. If a
 * step fails, the weights return to their earlier state, and so does an optimizer that has
 * `checkpoint`.
 *
 * @param fresh Feedback since the last call.
 * @param older Feedback to sample from, `replay` sequences per step; pass `[]` for none.
 *
 * @example
 * ```ts
 * import { createRandom } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { adam, createSequenceModel, fineTune, gru4rec, squaredError } from 'ren-recommender/models'
 *
 * const engine = await createEngine()
 * const model = createSequenceModel(engine, gru4rec(), 100, createRandom(1))
 * const history = {
 *   items: Int32Array.of(4, 8),
 *   rewards: Float32Array.of(1, 1),
 *   times: Float64Array.of(1000, 2000),
 * }
 * // After the first two events, item 15 was shown and not chosen, and item 16 was chosen.
 * const observations = [
 *   { after: 2, item: 15, reward: 0 },
 *   { after: 2, item: 16, reward: 1 },
 * ]
 * const report = fineTune(model, [{ history, observations }], [], {
 *   steps: 5,
 *   loss: squaredError(),
 *   optimizer: adam(engine, model.workspace),
 *   random: createRandom(2),
 *   clock: () => performance.now(),
 * })
 * console.log(report.loss)
 * ```
 */
export function fineTune(
  model: SequenceModel,
  fresh: readonly Feedback[],
  older: FeedbackPool,
  options: FineTuneOptions,
): FineTuneReport {
  const { clock, heldOut = [], tolerance = Infinity } = options
  requireSettings('fineTune', settings, options)
  for (const { history } of [...fresh, ...heldOut]) requireHistory(history, model.itemCount)
  const start = clock()
  const { old, journal } = captureAll(model, options)
  try {
    const trainer = createTrainer(model, { ...options, ...(journal && { journal }) })
    const check = checkOf(model, trainer, fresh, options)
    const before = check?.measureCases() ?? []
    const result = runSteps(model, trainer, fresh, older, options)
    const after = check?.measureCases() ?? []
    const refused = check !== null && tolerance < Infinity && check.isWorse(before, after)
    if (refused) old.restore()
    const eventsPerSecond = (1000 * result.events) / Math.max(1e-6, clock() - start)
    const measured = check && {
      measure: check.measure,
      before: mean(before),
      after: mean(after),
    }
    return { ...result, eventsPerSecond, heldOut: measured, refused }
  } catch (error) {
    old.restore()
    throw error
  } finally {
    old.release()
  }
}

function checkOf(
  model: SequenceModel,
  trainer: Trainer,
  fresh: readonly Feedback[],
  { loss, heldOut = [], tolerance = Infinity, random }: FineTuneOptions,
): UpdateCheck | null {
  if (heldOut.length === 0) return null
  if (loss.ranks) return rankCheck(model, heldOut, random.fork('judge'))
  return lossCheck(trainer, feedbackExample(heldOut, model.architecture), {
    tolerance,
    meanSquare: meanSquare([...fresh, ...heldOut]),
    random,
  })
}

function runSteps(
  model: SequenceModel,
  trainer: Trainer,
  fresh: readonly Feedback[],
  older: FeedbackPool,
  { steps, replay = 0, random, onProgress }: FineTuneOptions,
): Pick<FineTuneReport, 'loss' | 'steps' | 'events'> {
  const count = Math.min(replay, older.length)
  let [loss, events] = [0, 0]
  for (let step = 0; step < steps; step++) {
    onProgress?.(step / steps)
    const sample = Array.from(random.choose(count, Math.max(1, older.length)), (i) => older.at(i)!)
    for (const { history } of sample) requireHistory(history, model.itemCount)
    const example = feedbackExample([...fresh, ...sample], model.architecture)
    loss = trainer.step(example, random).loss
    events += example.targets.rows.length
  }
  return { loss, steps, events }
}

/** Returns the mean squared reward, the loss of predicting 0 everywhere. */
function meanSquare(feedback: readonly Feedback[]): number {
  return mean(feedback.flatMap(({ observations }) => observations.map(({ reward }) => reward ** 2)))
}

/** Saves the weights and the optimizer state; uses a journal if steps change few rows. */
function captureAll(model: SequenceModel, { optimizer, deviations }: FineTuneOptions) {
  const journal = optimizer.rows === 'touched' ? openJournal(model) : undefined
  const weights = journal ?? captureWeights(model, deviations)
  const state = optimizer.checkpoint?.()
  const old = {
    restore() {
      weights.restore()
      state?.restore()
    },
    release: () => state?.release(),
  }
  return { old, journal }
}
