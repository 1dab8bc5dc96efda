// A full training run over a log: real epochs with a ranking loss, validated on the latest
// interactions of some users, which the run never learns from. A generator, so that its driver can
// report progress, store checkpoints, and stop between two steps.

import type { Random } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createSequenceModel, saveModel, train } from '../models/index.ts'
import type { Architecture, History, SequenceModel, TrainProgress } from '../models/index.ts'
import { readCheckpoint, writeCheckpoint } from '../models/training/checkpoint.ts'
import type { TrainingRecipe } from '../models/training/default-recipe.ts'
import type { HeldOut } from './held-out.ts'
import { modelRanks, rankingOf } from './ranking.ts'
import type { Ranking } from './ranking.ts'
import { startItemsFromMemory } from './start-items.ts'

export interface FullTrainingOptions {
  readonly engine: Engine
  readonly architecture: Architecture
  /** What each row of the catalog is called. */
  readonly itemNames: readonly string[]
  /** What each user chose, in order of time, and what of it validates the run. */
  readonly heldOut: HeldOut
  readonly recipe: Pick<
    TrainingRecipe,
    | 'createLoss'
    | 'createOptimizer'
    | 'rateDecay'
    | 'batchSize'
    | 'epochs'
    | 'patience'
    | 'clip'
    | 'inputDropout'
  >
  readonly random: Random
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** A checkpoint of a run with the same options: it continues to exactly the same result. */
  readonly resume?: Uint8Array
}

export interface TrainingProgress {
  readonly epoch: number
  /** The largest number of epochs; early stopping may end the run before. */
  readonly epochs: number
  /** Of the largest number of epochs, from 0 to 1. */
  readonly share: number
  readonly secondsLeft: number
  readonly loss: number
  /** Of the last epoch that has ended; null during the first, and right after a resumption. */
  readonly validation: Ranking | null
  /** Present at the end of an epoch, to be called before the next step. */
  readonly checkpoint?: () => Uint8Array<ArrayBuffer>
}

export interface TrainedModel {
  /** With the weights that were validated best. */
  readonly model: SequenceModel
  /** The same as a model file. */
  readonly file: Uint8Array<ArrayBuffer>
  readonly epochs: number
  readonly loss: number
  readonly validation: Ranking
  /** The interactions that the run did not learn from, and what came before each. */
  readonly heldOut: HeldOut
}

/**
 * Trains a new model on users' histories.
 *
 * @example
 * const heldOut = holdOutLatest(sequences, { random })
 * const trained = finish(trainOnLog({ engine, architecture, itemNames, heldOut, recipe, random, clock }))
 */
export function* trainOnLog(
  options: FullTrainingOptions,
): Generator<TrainingProgress, TrainedModel> {
  const { engine, architecture, itemNames, heldOut, random, clock, recipe, resume } = options
  const model = createSequenceModel(engine, architecture, itemNames.length, random.fork('model'))
  if (!resume) startItemsFromMemory(model, heldOut.training, random.fork('factors'))
  let validation: Ranking | null = null
  const validate = (): number => {
    validation = rankingOf(modelRanks(model, heldOut))
    return validation.ndcg10
  }
  const training = train(model, heldOut.training, {
    ...recipe,
    loss: recipe.createLoss(supportOf(heldOut.training, itemNames.length)),
    optimizer: recipe.createOptimizer(model),
    random: random.fork('training'),
    clock,
    validate,
    ...(resume && { resume: readCheckpoint(resume, model) }),
  })
  let next = training.next()
  for (; next.done !== true; next = training.next()) yield progressOf(next.value, validation)
  const { epochs, loss } = next.value
  return {
    model,
    file: saveModel({ model, itemNames }),
    epochs,
    loss,
    validation: rankingOf(modelRanks(model, heldOut)),
    heldOut,
  }
}

function progressOf(progress: TrainProgress, validation: Ranking | null): TrainingProgress {
  const { epoch, epochs, step, steps, secondsLeft, loss, state } = progress
  const share = (epoch - 1 + step / steps) / epochs
  return {
    epoch,
    epochs,
    share,
    secondsLeft,
    loss,
    validation,
    ...(state && { checkpoint: () => writeCheckpoint(state()) }),
  }
}

/** Interactions per item. */
function supportOf(sequences: readonly History[], itemCount: number): Float64Array {
  const support = new Float64Array(itemCount)
  for (const { items } of sequences) for (const item of items) support[item]! += 1
  return support
}
