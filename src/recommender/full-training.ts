// A full training run over a log: real epochs with a ranking loss, validated on the latest
// interactions of some users, which the run never learns from. A generator, so that its driver can
// report progress, store checkpoints, and stop between two steps.

import { RenError } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import { createRandom } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createSequenceModel, saveModel, train } from '../models/index.ts'
import type { Architecture, History, SequenceModel, TrainProgress } from '../models/index.ts'
import { readCheckpoint, writeCheckpoint } from '../models/training/checkpoint.ts'
import type { TrainingRecipe } from '../models/training/default-recipe.ts'
import { defaultRecipe } from '../models/training/default-recipe.ts'
import { itemFactors, qualityOf } from '../relevance/index.ts'
import { fitBlend } from './fit-blend.ts'
import type { FittedBlend } from './fit-blend.ts'
import type { HeldOut, Ranking, PackedHistories } from './held-out.ts'
import { modelRanks, holdOutLatest, supportOf, unpackHistories } from './held-out.ts'
import { judgeTrainedModel } from './judge-model.ts'
import type { Judgment } from './judge-model.ts'
import { architectureOf, cannotTrainFully } from './methods.ts'
import type { MethodSettings } from './methods.ts'

export interface FullTrainingOptions {
  readonly engine: Engine
  readonly architecture: Architecture
  /** What each row of the catalog is called. */
  readonly itemNames: readonly string[]
  /** What each user chose, in order of time, and what of it validates the run. */
  readonly heldOut: HeldOut
  readonly recipe: Omit<TrainingRecipe, 'architecture' | 'loss' | 'optimizer'>
  readonly random: Random
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** A checkpoint of a run with the same options: it continues to exactly the same result. */
  readonly resume?: Uint8Array
}

/** The progress of a full training run after one step. */
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
    validation = qualityOf(modelRanks(model, heldOut))
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
    validation: qualityOf(modelRanks(model, heldOut)),
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

// Where item embeddings begin before a full training run: at the factors of the transition memory
// instead of at random. One epoch then gives what several give from a random start
// (docs/decisions/0008-served-relevance.md).

/**
 * Replaces the random item embeddings of a new model by factors of the log's transitions, of the
 * same size.
 */
export function startItemsFromMemory(
  model: SequenceModel,
  histories: readonly History[],
  random: Random,
): void {
  const { values } = model.itemEmbeddings
  const squares = values.reduce((sum, value) => sum + value * value, 0)
  const { itemCount, dimension } = model
  const scale = Math.sqrt(squares / Math.max(1, values.length))
  const items = histories.map((history) => history.items)
  values.set(itemFactors(items, { itemCount, dimension, scale, random }))
  model.markChanged()
}

// A full training run of a method, from packed histories to weights and a judgment: what a
// service's training thread does.

/** A full training run over a log: what to train, on which histories, and from where to resume. */
export interface TrainingRun {
  readonly method: string
  readonly settings: MethodSettings
  readonly seed: string
  readonly itemNames: readonly string[]
  readonly histories: PackedHistories
  /** The weights that serve, to be judged beside the new ones. */
  readonly served: Uint8Array
  /** Whether somebody chose those, by a model file: they stay unless the new ones are better beyond noise. */
  readonly isServedChosen: boolean
  readonly maxEpochs: number
  /** A checkpoint of a run with the same method, settings, seed and items. */
  readonly resume: Uint8Array | null
}

/** The result of a full training run: a model file, and how it compares with the served model. */
export interface TrainingRunResult {
  /** A model file. */
  readonly weights: Uint8Array<ArrayBuffer>
  readonly epochs: number
  readonly loss: number
  readonly judgment: Judgment
}

/**
 * The quality that a log gives without a model, from memory and popularity. It is known seconds
 * after the start of a training run.
 */
export interface Baseline {
  readonly baseline: FittedBlend
}

/**
 * Runs a full training. Returns a generator: it yields the baseline, then progress after each step.
 *
 * @param clock Milliseconds on any clock; only differences count.
 */
export function* runTraining(
  engine: Engine,
  run: TrainingRun,
  clock: () => number,
): Generator<Baseline | TrainingProgress, TrainingRunResult> {
  const { method, settings, itemNames, histories, served } = run
  const reason = cannotTrainFully(method, settings)
  if (reason !== null) throw new RenError('invalid-argument', reason)
  const sequences = unpackHistories(histories)
  const log = { sequences: sequences.length, events: histories.items.length }
  const itemCount = itemNames.length
  const recipe = defaultRecipe(itemCount, log)
  const random = createRandom(run.seed).fork('full training')
  const heldOut = holdOutLatest(sequences, { keys: histories.keys, random })
  yield { baseline: fitBlend({ heldOut, itemCount, model: null, random: random.fork('baseline') }) }
  const trained = yield* trainOnLog({
    engine,
    architecture: architectureOf(method, settings),
    itemNames,
    heldOut,
    recipe: { ...recipe, epochs: Math.min(recipe.epochs, run.maxEpochs) },
    random,
    clock,
    ...(run.resume && { resume: run.resume }),
  })
  const { file: weights, epochs, loss } = trained
  const judgment = judgeTrainedModel(
    engine,
    trained,
    served,
    random.fork('judge'),
    run.isServedChosen,
  )
  return { weights, epochs, loss, judgment }
}
