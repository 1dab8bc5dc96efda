// A full training run of a method, from packed histories to weights and a judgment: what a
// service's training thread does.

import { createRandom } from '../core/random.ts'
import { RenError } from '../core/errors.ts'
import type { Engine } from '../kernels/index.ts'
import { defaultRecipe } from '../models/training/default-recipe.ts'
import { fitBlend } from './fit-blend.ts'
import type { FittedBlend } from './fit-blend.ts'
import { trainOnLog } from './full-training.ts'
import type { TrainingProgress } from './full-training.ts'
import { holdOutLatest } from './held-out.ts'
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
  /** Whether somebody chose those, by a model file: they stay unless the new ones are better beyond noise. */
  readonly isServedChosen: boolean
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

/**
 * What the log gives without a model: memory and popularity, fitted and judged on the interactions
 * that the run holds out. It is there seconds after the start, long before the first epoch has ended.
 */
export interface Baseline {
  readonly baseline: FittedBlend
}

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
