// Trains by a recipe, one step at a time, so that Ctrl-C can save the current weights.

import { invalid } from '../core/errors.ts'
import type { UserSequence } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import {
  binaryCrossEntropy,
  sampled,
  softmax,
  squaredError,
  train,
  trainSessionParallel,
} from '../models/index.ts'
import type { Loss, SequenceModel, TrainProgress, TrainReport } from '../models/index.ts'
import { supportOf } from '../recommender/held-out.ts'
import { createYield, untilInterrupted } from './interrupt-signal.ts'
import { optimizers, type Recipe } from './recipe.ts'

interface TrainingRun {
  readonly sequences: readonly UserSequence[]
  readonly random: Random
  readonly validate?: (model: SequenceModel) => number
  readonly patience: number
}

export function startTraining(
  model: SequenceModel,
  recipe: Recipe,
  { sequences, ...run }: TrainingRun,
): Generator<TrainProgress, TrainReport> {
  const { rate, momentum = 0, weightDecay = 0, batch } = recipe
  const sessionParallel = model.architecture.description.model === 'gru4rec-parity'
  const createOptimizer = optimizers[recipe.optimizer]
  const options = {
    ...recipe,
    ...run,
    // A batch of sessions shrinks toward the end of an epoch, and its steps shrink with it.
    loss: createLoss(recipe, sequences, model.itemCount, sessionParallel ? batch : undefined),
    optimizer: createOptimizer(model.engine, model.workspace, { rate, momentum, weightDecay }),
    clock: () => performance.now(),
  }
  if (!sessionParallel) return train(model, sequences, { ...options, batchSize: batch })
  const sessions = sequences.toSorted((a, b) => a.times[0]! - b.times[0]!)
  return trainSessionParallel(
    model,
    sessions.map(({ items }) => items),
    { ...options, lanes: batch },
  )
}

function createLoss(
  recipe: Recipe,
  sequences: readonly UserSequence[],
  itemCount: number,
  nominalRows: number | undefined,
): Loss {
  const { loss, negatives = 0, alpha = 0, logQ = 0, regularization = 0, elu = 0 } = recipe
  // Like the service (default-recipe.ts).
  const weighRewards = true
  if (loss === 'softmax') return softmax({ weighRewards })
  if (loss === 'squared-error') return squaredError()
  if (loss === 'binary-cross-entropy') {
    requireShares(sequences)
    return binaryCrossEntropy()
  }
  return sampled({
    kind: loss === 'sampled' ? 'cross-entropy' : 'bpr-max',
    weighRewards,
    negatives: Math.min(negatives, itemCount),
    support: supportOf(sequences, itemCount),
    alpha,
    logQ,
    regularization,
    ...(elu > 0 && { elu }),
    ...(nominalRows !== undefined && { nominalRows }),
  })
}

function requireShares(sequences: readonly UserSequence[]): void {
  for (const { rewards } of sequences) {
    const outside = rewards.find((reward) => !(reward >= 0 && reward <= 1))
    if (outside === undefined) continue
    throw invalid(`binary-cross-entropy needs rewards from 0 to 1, but the log has ${outside}`)
  }
}

export interface Outcome extends Omit<TrainReport, 'events'> {
  readonly interrupted: boolean
}

/**
 * Trains to the end or to the first Ctrl-C; a second one kills the process. The model then has the
 * weights of the best validation, or the current ones without a validation.
 */
export function runInterruptibly(
  training: Generator<TrainProgress, TrainReport>,
  show: (progress: TrainProgress) => void,
): Promise<Outcome> {
  return untilInterrupted(async (signal) => {
    const yieldToSignals = createYield()
    let best: number | undefined
    for (let steps = 1; ; steps++) {
      const { done, value } = training.next()
      if (done) {
        const { events: _, ...report } = value
        return { ...report, interrupted: false }
      }
      show(value)
      if (value.validation !== undefined) best = Math.max(best ?? 0, value.validation)
      await yieldToSignals()
      if (signal.aborted) return stop(training, value, steps, best)
    }
  })
}

function stop(
  training: Generator<TrainProgress, TrainReport>,
  { loss, epoch, eventsPerSecond }: TrainProgress,
  steps: number,
  best: number | undefined,
): Outcome {
  const report = { loss, epochs: epoch, steps, eventsPerSecond }
  // A closed training run restores the weights of the best validation, if there was one.
  training.return({ ...report, events: 0 })
  return { ...report, ...(best !== undefined && { validation: best }), interrupted: true }
}
