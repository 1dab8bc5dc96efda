// The default training recipe. `ren train` without `--model` and the service's background training
// both use it, so they train the same model from the same log.

import { lazyAdam, adam } from '../optimizers/optimizers.ts'
import type { Optimizer } from '../optimizers/optimizer.ts'
import type { Loss } from '../losses/loss.ts'
import { sampled } from '../losses/sampled.ts'
import { softmax } from '../losses/softmax.ts'
import type { Architecture, SequenceModel } from '../sequence-model.ts'

/** A complete training setup: model, loss, optimizer and duration. */
export interface TrainingRecipe {
  /** Name and options for `createArchitecture`. */
  readonly architecture: Architecture['description']
  /** The name and the settings of the loss. */
  readonly loss: { readonly name: 'softmax' } | SampledLoss
  /** The name of the optimizer and its rate in the first epoch. */
  readonly optimizer: { readonly name: 'adam' | 'lazy-adam'; readonly rate: number }
  /** The factor on the learning rate after every epoch. */
  readonly rateDecay: number
  /** Sequences per step. */
  readonly batchSize: number
  /** The maximum number of passes over the log. */
  readonly epochs: number
  /** Epochs without a better validation before training stops. */
  readonly patience: number
  /** The maximum norm of all gradients together. */
  readonly clip: number
  /** The dropout rate of the item embeddings at the input of the network. */
  readonly inputDropout: number
  /** @param support Interactions per item, for the sampling of negatives. */
  createLoss(support: Float64Array): Loss
  /** Creates the optimizer of the recipe for a model. */
  createOptimizer(model: SequenceModel): Optimizer
}

interface SampledLoss {
  readonly name: 'sampled'
  /** Negatives per step, shared by all sequences. */
  readonly negatives: number
  /** Negatives are drawn by support^alpha. */
  readonly alpha: number
  /** Share of the logQ correction for sampling. */
  readonly logQ: number
}

/** Above this catalog size, a full softmax and a dense optimizer cost more than they gain. */
export const maxItemsForSoftmax = 20_000

/** The size of a log. */
export interface LogSize {
  /** The number of sequences, one per user or session. */
  readonly sequences: number
  /** The number of interactions. */
  readonly events: number
}

/** The approximate number of events per step. */
const eventsPerBatch = 4096
/** Limits of the sequences per step. Short sessions and small logs learn better in small steps. */
const [minBatchSize, maxBatchSize] = [8, 128]
/**
 * A sampled loss compares all targets of a step with each other, so small steps cost less per
 * target.
 */
const maxSampledBatchSize = 32
/** Small logs get smaller batches, so that an epoch has about this many steps. */
const minSteps = 100

function batchSizeFor({ sequences, events }: LogSize, isLarge: boolean): number {
  const byEvents = (eventsPerBatch * sequences) / Math.max(1, events)
  const largest = isLarge ? maxSampledBatchSize : maxBatchSize
  const size = Math.round(Math.min(largest, byEvents, sequences / minSteps))
  return Math.max(minBatchSize, size)
}

/** Long histories of many users, such as MovieLens-1M. */
const usualLog: LogSize = { sequences: 10_000, events: 1_280_000 }

/**
 * Returns the training recipe that `ren train` and the service use for a catalog of this size
 * (docs/decisions/0008-served-relevance.md).
 *
 * @param log Sets the batch size. Defaults to a log like MovieLens-1M.
 *
 * @example
 * ```ts
 * import { createRandom } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { createArchitecture, createSequenceModel, defaultRecipe } from 'ren-recommender/models'
 *
 * const recipe = defaultRecipe(3706, { sequences: 6040, events: 1_000_209 })
 * const architecture = createArchitecture(recipe.architecture)
 * const model = createSequenceModel(await createEngine(), architecture, 3706, createRandom(1))
 * const optimizer = recipe.createOptimizer(model)
 * ```
 */
export function defaultRecipe(itemCount: number, log: LogSize = usualLog): TrainingRecipe {
  const isLarge = itemCount > maxItemsForSoftmax
  const loss = isLarge ? sampledLoss : ({ name: 'softmax' } as const)
  const optimizer = isLarge
    ? ({ name: 'lazy-adam', rate: 0.002 } as const)
    : ({ name: 'adam', rate: 0.006 } as const)
  return {
    architecture: { model: 'gru4rec', dimension: 64, window: 200, decoderScale: 1 },
    loss,
    optimizer,
    rateDecay: 0.75,
    batchSize: batchSizeFor(log, isLarge),
    epochs: 15,
    patience: 3,
    clip: 5,
    // Most items of a large catalog have few interactions, to which the model soon overfits.
    inputDropout: isLarge ? 0.4 : 0.2,
    createLoss: (support) => createLoss(loss, support),
    createOptimizer: ({ engine, workspace }) =>
      (isLarge ? lazyAdam : adam)(engine, workspace, { rate: optimizer.rate }),
  }
}

const sampledLoss: SampledLoss = { name: 'sampled', negatives: 2048, alpha: 0.5, logQ: 1 }

function createLoss(loss: TrainingRecipe['loss'], support: Float64Array): Loss {
  // An interaction with a higher reward, such as a purchase, has a higher weight.
  const weighRewards = true
  if (loss.name === 'softmax') return softmax({ weighRewards })
  const { negatives, alpha, logQ } = loss
  return sampled({
    kind: 'cross-entropy',
    negatives: Math.min(negatives, support.length),
    support,
    alpha,
    logQ,
    weighRewards,
  })
}
