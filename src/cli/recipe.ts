// The training recipe: loss, optimizer and schedule. Options that are not given default to the usual
// choice of the named model, or to the default recipe if no model is named.

import { Option } from 'commander'
import type { Command } from 'commander'

import { invalid } from '../core/errors.ts'
import { adagrad, adam, denseAdagrad, lazyAdam } from '../models/index.ts'
import type { ModelName, TrainingRecipe } from '../models/index.ts'
import { integer, notNegative, positive, share } from './option-values.ts'

const lossNames = [
  'softmax',
  'sampled',
  'bpr-max',
  'squared-error',
  'binary-cross-entropy',
] as const
/** Every optimizer by its name on the command line. */
export const optimizers = {
  adam,
  'lazy-adam': lazyAdam,
  adagrad,
  'dense-adagrad': denseAdagrad,
} as const

type LossName = (typeof lossNames)[number]
type OptimizerName = keyof typeof optimizers

/** The options of the command line; `completeRecipe` adds the rest. */
export interface RecipeOptions {
  readonly loss?: LossName
  readonly optimizer?: OptimizerName
  readonly rate?: number
  readonly epochs?: number
  readonly batch?: number
  readonly clip?: number
  readonly negatives?: number
  readonly alpha?: number
  readonly logQ?: number
  readonly regularisation?: number
  readonly elu?: number
  readonly momentum?: number
  readonly weightDecay?: number
  /** Only in the default recipe; the command line has no option for it. */
  readonly inputDropout?: number
  /** Only in the default recipe, with its optimizer. */
  readonly rateDecay?: number
}

export type Recipe = RecipeOptions &
  Required<Pick<RecipeOptions, 'loss' | 'optimizer' | 'rate' | 'epochs' | 'batch'>>

/** The recipe that the options of the command line change. */
type BaseRecipe = RecipeOptions & Required<Pick<Recipe, 'loss' | 'optimizer' | 'epochs' | 'batch'>>

/** Options of only some losses or optimizers, with their defaults. */
const particular = {
  negatives: { of: ['sampled', 'bpr-max'], usual: 2048 },
  alpha: { of: ['sampled', 'bpr-max'], usual: 0.5 },
  logQ: { of: ['sampled'], usual: 1 },
  regularisation: { of: ['bpr-max'], usual: 1 },
  elu: { of: ['bpr-max'], usual: 1 },
  momentum: { of: ['adagrad'], usual: 0 },
  weightDecay: { of: ['adam', 'lazy-adam', 'dense-adagrad'], usual: 0 },
} as const satisfies Readonly<Record<string, { of: readonly string[]; usual: number }>>

export function addRecipeOptions(command: Command): Command {
  const onlyFor = (name: keyof typeof particular): string =>
    `(${particular[name].of.join(', ')}; default ${particular[name].usual})`
  return command
    .addOption(new Option('--loss <name>', 'the loss').choices(lossNames))
    .addOption(new Option('--optimizer <name>', 'the optimizer').choices(Object.keys(optimizers)))
    .option('--rate <number>', 'learning rate', positive)
    .option('--epochs <n>', 'passes over the training data', integer(1))
    .option('--batch <n>', 'sequences, or parallel sessions, per batch', integer(1))
    .option('--clip <norm>', 'maximum norm of all gradients together', positive)
    .option('--negatives <n>', `negatives per step ${onlyFor('negatives')}`, integer(0))
    .option('--alpha <power>', `draw negatives by support^alpha ${onlyFor('alpha')}`, notNegative)
    .option('--log-q <share>', `correction for sampling ${onlyFor('logQ')}`, notNegative)
    .option(
      '--regularisation <weight>',
      `weight of squared negative scores ${onlyFor('regularisation')}`,
      notNegative,
    )
    .option('--elu <alpha>', `ELU on the scores, 0 for none ${onlyFor('elu')}`, notNegative)
    .option('--momentum <share>', `share of the previous step ${onlyFor('momentum')}`, share)
    .option(
      '--weight-decay <weight>',
      `weight of squared weights ${onlyFor('weightDecay')}`,
      notNegative,
    )
}

/**
 * The base recipe with the given changes; options that would have no effect are refused.
 *
 * @param base Defaults to the usual recipe of the model.
 */
export function completeRecipe(
  model: ModelName,
  options: RecipeOptions,
  base: BaseRecipe = usualRecipe(model),
): Recipe {
  const { loss = base.loss } = options
  const { optimizer = optimizerFor(loss, base) } = options
  if (model === 'gru4rec-parity' && isOfRewards(loss)) {
    throw invalid(
      `gru4rec-parity learns the next item and cannot use ${loss}, which learns rewards`,
    )
  }
  const own = Object.entries(particular).flatMap(([name, { of, usual: value }]) => {
    const given = options[name as keyof typeof particular]
    if (of.some((one) => one === loss || one === optimizer))
      return [[name, given ?? base[name as keyof typeof particular] ?? value]]
    if (given === undefined) return []
    throw invalid(
      `${flagOf(name)} is for ${of.join(', ')}, but the loss is ${loss} and the optimizer ${optimizer}`,
    )
  })
  const clip = options.clip ?? base.clip
  const { rate: baseRate, rateDecay } = optimizer === base.optimizer ? base : {}
  return {
    loss,
    optimizer,
    rate: options.rate ?? baseRate ?? (optimizer.endsWith('adagrad') ? 0.05 : 0.005),
    epochs: options.epochs ?? base.epochs,
    batch: options.batch ?? base.batch,
    ...(clip !== undefined && { clip }),
    ...(rateDecay !== undefined && { rateDecay }),
    ...(base.inputDropout !== undefined && { inputDropout: base.inputDropout }),
    ...Object.fromEntries(own),
  }
}

/** Lazy Adam does not support a loss that scores every item; such a loss defaults to Adam. */
function optimizerFor(loss: LossName, base: BaseRecipe): OptimizerName {
  const scoresAll = loss === 'softmax' && loss !== base.loss
  return scoresAll && base.optimizer === 'lazy-adam' ? 'adam' : base.optimizer
}

/** The default recipe in the terms of the command line. */
export function baseFrom({ loss, optimizer, ...rest }: TrainingRecipe): BaseRecipe {
  const { name, ...ofLoss } = loss
  const { epochs, batchSize: batch, clip, inputDropout, rateDecay } = rest
  return {
    loss: name,
    ...ofLoss,
    optimizer: optimizer.name,
    rate: optimizer.rate,
    rateDecay,
    epochs,
    batch,
    clip,
    inputDropout,
  }
}

function usualRecipe(model: ModelName): BaseRecipe {
  if (model === 'gru4rec-parity') {
    return { loss: 'sampled', optimizer: 'adagrad', epochs: 10, batch: 64 }
  }
  const loss = model === 'matrix-factorisation' ? 'squared-error' : 'softmax'
  return { loss, optimizer: 'adam', epochs: 20, batch: 32 }
}

/** The flag of an option: logQ is --log-q. */
const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const isOfRewards = (loss: LossName): boolean =>
  loss === 'squared-error' || loss === 'binary-cross-entropy'
