// A full training run of a method, from packed histories to weights and a judgment: what a
// service's training thread does.

import { createRandom } from '../core/random.ts'
import { RenError } from '../core/errors.ts'
import type { Engine } from '../kernels/index.ts'
import { defaultRecipe } from '../models/training/default-recipe.ts'
import { trainOnLog } from './full-training.ts'
import type { TrainingProgress } from './full-training.ts'
import { judgeTrainedModel } from './judge-trained.ts'
import type { Judgment } from './judge-trained.ts'
import { architectureOf, cannotTrainFully } from './methods.ts'
import type { MethodSettings } from './methods.ts'
import { unpackHistories } from './packed-histories.ts'
import type { PackedHistories } from './packed-histories.ts'

export interface TrainingRun {
  readonly method: string
  readonly settings: MethodSettings
  readonly seed: string
  readonly itemNames: readonly string[]
  readonly histories: PackedHistories
  /** The weights that serve, to be judged beside the new ones. */
  readonly served: Uint8Array
  readonly maxEpochs: number
  /** A checkpoint of a run with the same method, settings, seed and items. */
  readonly resume: Uint8Array | null
}

export interface TrainingRunResult {
  /** A model file. */
  readonly weights: Uint8Array<ArrayBuffer>
  readonly epochs: number
  readonly loss: number
  readonly judgment: Judgment
}

export function* runTraining(
  engine: Engine,
  run: TrainingRun,
  clock: () => number,
): Generator<TrainingProgress, TrainingRunResult> {
  const { method, settings, itemNames, histories, served } = run
  const reason = cannotTrainFully(method, settings)
  if (reason !== null) throw new RenError('invalid-argument', reason)
  const sequences = unpackHistories(histories)
  const log = { sequences: sequences.length, events: histories.items.length }
  const recipe = defaultRecipe(itemNames.length, log)
  const random = createRandom(run.seed).fork('full training')
  const trained = yield* trainOnLog({
    engine,
    architecture: architectureOf(method, settings),
    itemNames,
    sequences,
    keys: histories.keys,
    recipe: { ...recipe, epochs: Math.min(recipe.epochs, run.maxEpochs) },
    random,
    clock,
    ...(run.resume && { resume: run.resume }),
  })
  const { file: weights, epochs, loss } = trained
  const judgment = judgeTrainedModel(engine, trained, served, random.fork('judge'))
  return { weights, epochs, loss, judgment }
}
