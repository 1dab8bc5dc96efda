// Fine-tuning: a few steps on fresh feedback, with a seeded sample of older feedback beside it so
// that what was learnt is not forgotten.

import { RenError } from '../../core/errors.ts'
import { mean } from '../../core/mean.ts'
import type { Random } from '../../core/random.ts'
import { createBatch, lastEvents } from '../batch.ts'
import type { History } from '../batch.ts'
import { requireHistory } from '../require-history.ts'
import {
  optional,
  positiveNumberOrInfinity,
  requireOptions,
  wholeNumber,
  wholeNumberOrInfinity,
} from '../require-options.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { createTrainer } from './trainer.ts'
import type { Example, Trainer, TrainerOptions } from './trainer.ts'
import { keepWeights, openJournal } from './weights.ts'

/** What one user did, and what is known of items at moments along the way. */
export interface Feedback {
  readonly history: History
  /** In any order; several at one moment where a slate was shown. */
  readonly observations: readonly Observation[]
}

/** A list whose entries are made when they are drawn; any array will do. */
export interface FeedbackPool {
  readonly length: number
  at(index: number): Feedback | undefined
}

export interface Observation {
  /** How many events of the history came before. */
  readonly after: number
  readonly item: number
  readonly reward: number
}

export interface FineTuneOptions extends Omit<TrainerOptions, 'journal'> {
  readonly steps: number
  /** How many sequences of older feedback join each step. */
  readonly replay?: number
  /** Judges the update instead of teaching it; nobody does unless set. */
  readonly heldOut?: readonly Feedback[]
  /**
   * An update is refused that makes the loss of `heldOut` more than this many times what it was, and
   * larger by more than a tenth of what guessing 0 would lose.
   */
  readonly tolerance?: number
  readonly random: Random
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** Told before each step which share of them is done. */
  readonly onProgress?: ((share: number) => void) | undefined
}

export interface FineTuneReport {
  /** Mean loss of the last step. */
  readonly loss: number
  readonly steps: number
  readonly events: number
  readonly eventsPerSecond: number
  /** Mean loss of those who judge; null where nobody does. */
  readonly heldOut: HeldOutLoss | null
  /** Whether it was refused, so that weights and optimiser are as they were. */
  readonly refused: boolean
}

export interface HeldOutLoss {
  readonly before: number
  readonly after: number
}

/** Of what guessing 0 everywhere would lose: a loss that rises by less is not clearly worse. */
const leastRise = 0.1

/**
 * Learns from `fresh`, and from samples of `older`. On any error the old weights are back, and so is
 * the state of an optimiser that keeps it.
 */
export function fineTune(
  model: SequenceModel,
  fresh: readonly Feedback[],
  older: FeedbackPool,
  options: FineTuneOptions,
): FineTuneReport {
  const { random, clock, heldOut = [], tolerance = Infinity } = options
  requireOptions('fineTune', options, {
    steps: wholeNumber(),
    replay: optional(wholeNumberOrInfinity(0)),
    tolerance: optional(positiveNumberOrInfinity),
  })
  for (const { history } of [...fresh, ...heldOut]) requireHistory(history, model.itemCount)
  const start = clock()
  const judged = heldOut.length > 0 ? feedbackExample(heldOut, model.architecture) : null
  const { old, journal } = keepAll(model, options)
  try {
    const trainer = createTrainer(model, { ...options, ...(journal && { journal }) })
    const judge = () => judged && trainer.loss(judged, random.fork('judge'))
    const before = judge()
    const taken = takeSteps(model, trainer, fresh, older, options)
    const after = judge()
    const slack = leastRise * meanSquare([...fresh, ...heldOut])
    const refused = before !== null && after! > tolerance * before + slack
    if (refused) old.restore()
    const eventsPerSecond = (1000 * taken.events) / Math.max(1e-6, clock() - start)
    const heldOutLoss = before === null ? null : { before, after: after! }
    return { ...taken, eventsPerSecond, heldOut: heldOutLoss, refused }
  } catch (error) {
    old.restore()
    throw error
  } finally {
    old.release()
  }
}

function takeSteps(
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

/** Of all rewards that were told: where nearly all are 0, a loss near 0 may well be doubled. */
function meanSquare(feedback: readonly Feedback[]): number {
  return mean(feedback.flatMap(({ observations }) => observations.map(({ reward }) => reward ** 2)))
}

/** The weights and what the optimiser knows, by way of a journal where steps touch few rows. */
function keepAll(model: SequenceModel, { optimiser, deviations }: FineTuneOptions) {
  const journal = optimiser.rows === 'touched' ? openJournal(model) : undefined
  const weights = journal ?? keepWeights(model, deviations)
  const state = optimiser.keep?.()
  const old = {
    restore() {
      weights.restore()
      state?.restore()
    },
    release: () => state?.release(),
  }
  return { old, journal }
}

/** Observations as targets of the positions they were made at; those outside the window drop out. */
export function feedbackExample(
  feedback: readonly Feedback[],
  { window, withStart }: { readonly window: number; readonly withStart: boolean },
): Example {
  const histories = feedback.map(({ history }) => lastEvents(history, window))
  const batch = createBatch(histories, withStart)
  const start = withStart ? 0 : -1 // θ after n events stands at step n, or n − 1 without a start
  const targets = feedback.flatMap(({ history, observations }, s) => {
    const dropped = history.items.length - histories[s]!.items.length
    return observations.flatMap(({ after, item, reward }) => {
      requireMoment(after, history)
      const step = after - dropped + start
      return step < 0 ? [] : [{ row: step * batch.sequences + s, item, reward }]
    })
  })
  if (targets.length === 0) {
    throw new RenError(
      'invalid-argument',
      'fine-tuning needs at least one observation in the window',
    )
  }
  return {
    batch,
    targets: {
      rows: Int32Array.from(targets, ({ row }) => row),
      items: Int32Array.from(targets, ({ item }) => item),
      rewards: Float32Array.from(targets, ({ reward }) => reward),
    },
  }
}

/** A later moment would be read from the padding beside a longer history. */
function requireMoment(after: number, { items }: History): void {
  if (Number.isSafeInteger(after) && after >= 0 && after <= items.length) return
  throw new RenError(
    'invalid-argument',
    `an observation must come after 0 to ${items.length} events of its history, got ${after}`,
  )
}
