// The recipe that trains a model when nobody chose one: `ren train` without `--model` and the
// service's background training use the same one, so both make the same model from the same log.

import { lazyAdam, adam } from '../optimisers/adam.ts'
import type { Optimiser } from '../optimisers/optimiser.ts'
import type { Loss } from '../losses/loss.ts'
import { sampled } from '../losses/sampled.ts'
import { softmax } from '../losses/softmax.ts'
import type { Architecture, SequenceModel } from '../sequence-model.ts'

/** A complete way to train: which model, by which loss and optimizer, for how long. */
export interface TrainingRecipe {
  /** Name and options for `createArchitecture`. */
  readonly architecture: Architecture['description']
  readonly loss: SoftmaxLoss | SampledLoss
  readonly optimizer: { readonly name: 'adam' | 'lazy-adam'; readonly rate: number }
  /** Sequences per step. */
  readonly batchSize: number
  /** The largest number of passes over the log. */
  readonly epochs: number
  /** Epochs without a better validation before training stops. */
  readonly patience: number
  /** The largest norm of all gradients together. */
  readonly clip: number
  /** @param support Interactions per item; a sampled loss draws its negatives by it. */
  createLoss(support: Float64Array): Loss
  createOptimizer(model: SequenceModel): Optimiser
}

interface SoftmaxLoss {
  readonly name: 'softmax'
}

interface SampledLoss {
  readonly name: 'sampled'
  /** Negatives per step, shared by all sequences. */
  readonly negatives: number
  /** Negatives are drawn by support^alpha. */
  readonly alpha: number
  /** Share of the correction for sampling. */
  readonly logQ: number
}

/** Above this many items, a full softmax and a dense optimizer cost more than they gain. */
export const maxItemsForSoftmax = 20_000

/**
 * The default recipe for a catalog of `itemCount` items.
 *
 * @example
 * const recipe = defaultRecipe(itemNames.length)
 * const model = createSequenceModel(engine, createArchitecture(recipe.architecture), itemNames.length, random)
 */
export function defaultRecipe(itemCount: number): TrainingRecipe {
  const isLarge = itemCount > maxItemsForSoftmax
  const loss = isLarge ? sampledLoss : ({ name: 'softmax' } as const)
  const optimizer = { name: isLarge ? 'lazy-adam' : 'adam', rate: 0.002 } as const
  return {
    architecture: { model: 'gru4rec', dimension: 64, window: 200, decoderScale: 1 },
    loss,
    optimizer,
    batchSize: 32,
    epochs: 20,
    patience: 5,
    clip: 5,
    createLoss: (support) => createLoss(loss, support),
    createOptimizer: ({ engine, workspace }) =>
      (isLarge ? lazyAdam : adam)(engine, workspace, { rate: optimizer.rate }),
  }
}

const sampledLoss: SampledLoss = { name: 'sampled', negatives: 2048, alpha: 0.5, logQ: 1 }

function createLoss(loss: SoftmaxLoss | SampledLoss, support: Float64Array): Loss {
  if (loss.name === 'softmax') return softmax()
  const { negatives, alpha, logQ } = loss
  return sampled({
    kind: 'cross-entropy',
    negatives: Math.min(negatives, support.length),
    support,
    alpha,
    logQ,
  })
}
