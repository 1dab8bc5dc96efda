// Full training over a log: epochs with a ranking loss, validated on the held-out latest
// interactions of some users. It is a generator, so that the caller can report progress, store
// checkpoints, and stop between two steps.

import { invalid } from '../core/errors.ts'
import { createRandom, type Random } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createSequenceModel, saveModel, train } from '../models/index.ts'
import type { Architecture, History, SequenceModel, TrainProgress } from '../models/index.ts'
import { readCheckpoint, writeCheckpoint } from '../models/training/checkpoint.ts'
import { defaultRecipe, type TrainingRecipe } from '../models/training/default-recipe.ts'
import { itemFactors, qualityOf } from '../relevance/index.ts'
import type { FittedBlend } from './fit-blend.ts'
import type { HeldOut, Ranking, PackedHistories } from './held-out.ts'
import { modelRanks, holdOutLatest, supportOf, unpackHistories } from './held-out.ts'
import { fitBaseline, judgeTrainedModel, type Judgment } from './judge-model.ts'
import { architectureOf, cannotTrainFully, type MethodSettings } from './methods.ts'

export interface FullTrainingOptions {
  readonly engine: Engine
  readonly architecture: Architecture
  /** The name of the item in each row. */
  readonly itemNames: readonly string[]
  readonly heldOut: HeldOut
  readonly recipe: Omit<TrainingRecipe, 'architecture' | 'loss' | 'optimizer'>
  readonly random: Random
  /** Milliseconds on any clock; only differences are used. */
  readonly clock: () => number
  /** A checkpoint of a run with the same options. The resumed run has exactly the same result. */
  readonly resume?: Uint8Array
}

/** The progress of a full training run after one step. */
export interface TrainingProgress extends Pick<
  TrainProgress,
  'epoch' | 'epochs' | 'secondsLeft' | 'loss'
> {
  /** The completed share of the largest number of epochs, from 0 to 1. */
  readonly share: number
  /**
   * The validation of the last completed epoch; null during the first, and right after a
   * resumption.
   */
  readonly validation: Ranking | null
  /** Creates a checkpoint. Present at the end of an epoch; call it before the next step. */
  readonly checkpoint?: () => Uint8Array<ArrayBuffer>
}

export interface TrainedModel {
  /** The model with the weights that had the best validation. */
  readonly model: SequenceModel
  /** The same weights as a model file. */
  readonly file: Uint8Array<ArrayBuffer>
  readonly epochs: number
  readonly loss: number
  readonly validation: Ranking
  readonly heldOut: HeldOut
}

/** Trains a new model on users' histories. Yields the progress after each step. */
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
  const { step, steps, state, eventsPerSecond: _, ...others } = progress
  const share = (progress.epoch - 1 + step / steps) / progress.epochs
  const checkpoint = state && { checkpoint: () => writeCheckpoint(state()) }
  return { ...others, share, validation, ...checkpoint }
}

/**
 * Replaces the random item embeddings of a new model by factors of the log's transitions, with the
 * same root mean square. One epoch from there is as good as several from a random start
 * (docs/decisions/0008-served-relevance.md).
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

/** A full training run over a log: the method, the histories, and the checkpoint to resume from. */
export interface TrainingRun {
  readonly method: string
  readonly settings: MethodSettings
  readonly seed: string
  readonly itemNames: readonly string[]
  readonly histories: PackedHistories
  /** The served weights, to compare with the new ones. */
  readonly served: Uint8Array
  /**
   * Whether the served weights come from a model file. They stay unless the new ones are clearly
   * better.
   */
  readonly isServedChosen: boolean
  readonly maxEpochs: number
  /** A checkpoint of a run with the same method, settings, seed and items. */
  readonly resume: Uint8Array | null
}

/** The result of a full training run: a model file, and how it compares with the served model. */
export interface TrainingRunResult extends Pick<TrainedModel, 'epochs' | 'loss'> {
  /** A model file. */
  readonly weights: Uint8Array<ArrayBuffer>
  readonly judgment: Judgment
}

/**
 * The quality without a model, from memory and popularity. It is known seconds after the start of a
 * run.
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
  if (reason !== null) throw invalid(reason)
  const sequences = unpackHistories(histories)
  const log = { sequences: sequences.length, events: histories.items.length }
  const itemCount = itemNames.length
  const recipe = defaultRecipe(itemCount, log)
  const random = createRandom(run.seed).fork('full training')
  const heldOut = holdOutLatest(sequences, { keys: histories.keys, random })
  yield { baseline: fitBaseline({ heldOut, itemCount }) }
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
  const judgment = judgeTrainedModel(engine, trained, served, run.isServedChosen)
  return { weights, epochs, loss, judgment }
}
