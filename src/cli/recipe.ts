// Sets up `ren train`: chooses an architecture and a recipe (loss, optimizer, schedule). Absent options
// default to the usual recipe of the named model, or to the default recipe without a name.

import { Option, type Command } from 'commander'

import { invalid } from '../core/errors.ts'
import { adagrad, adam, createArchitecture, defaultRecipe, lazyAdam } from '../models/index.ts'
import type { LogSize, ModelName, TrainingRecipe } from '../models/index.ts'
import { flagOf, integer, notNegative, positive, share, type OptionValue } from './option-values.ts'

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
} as const

type LossName = (typeof lossNames)[number]
type OptimizerName = keyof typeof optimizers

type Specific = readonly [
  lossesOrOptimizers: readonly string[],
  defaultValue: number,
  placeholder: string,
  description: string,
  parse: (text: string) => number,
]

/** Options of only some losses or optimizers. */
const specific = {
  negatives: [['sampled', 'bpr-max'], 2048, '<n>', 'negatives per step', integer(0)],
  alpha: [['sampled', 'bpr-max'], 0.5, '<power>', 'draw negatives by support^alpha', notNegative],
  logQ: [
    ['sampled'],
    1,
    '<share>',
    'strength of the logQ correction for sampling, 0 for none',
    notNegative,
  ],
  regularization: [['bpr-max'], 1, '<weight>', 'weight of squared negative scores', notNegative],
  elu: [['bpr-max'], 1, '<alpha>', 'α of the ELU on the scores, 0 for none', notNegative],
  momentum: [['adagrad'], 0, '<share>', 'momentum: share of the previous step', share],
  weightDecay: [['adam', 'lazy-adam'], 0, '<weight>', 'weight of squared weights', notNegative],
} as const satisfies Readonly<Record<string, Specific>>

type SpecificName = keyof typeof specific
const specificOptions = Object.entries(specific) as [SpecificName, Specific][]

type NumberName = SpecificName | 'rate' | 'epochs' | 'batch' | 'clip'

/** Options of the command line. `completeRecipe` fills in the defaults. */
export interface RecipeOptions extends Readonly<Partial<Record<NumberName, number>>> {
  readonly loss?: LossName
  readonly optimizer?: OptimizerName
  /** Only in the default recipe; the command line has no option for it. */
  readonly inputDropout?: number
  /** Only in the default recipe, with its optimizer. */
  readonly rateDecay?: number
}

export type Recipe = RecipeOptions &
  Required<Pick<RecipeOptions, 'loss' | 'optimizer' | 'rate' | 'epochs' | 'batch'>>

/** The recipe that the options of the command line change. */
type BaseRecipe = RecipeOptions & Required<Pick<Recipe, 'loss' | 'optimizer' | 'epochs' | 'batch'>>

export function addRecipeOptions(command: Command): Command {
  command
    .addOption(new Option('--loss <name>', 'the loss').choices(lossNames))
    .addOption(new Option('--optimizer <name>', 'the optimizer').choices(Object.keys(optimizers)))
    .option('--rate <number>', 'learning rate', positive)
    .option('--epochs <n>', 'passes over the training data', integer(1))
    .option('--batch <n>', 'sequences, or parallel sessions, per batch', integer(1))
    .option('--clip <norm>', 'maximum norm of all gradients together', positive)
  for (const [name, [of, defaultValue, placeholder, description, parse]] of specificOptions) {
    const scope = `(${of.join(', ')}; default ${defaultValue})`
    command.option(`${flagOf(name)} ${placeholder}`, `${description} ${scope}`, parse)
  }
  return command
}

/**
 * Applies options to the base recipe. Refuses options that would have no effect.
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
  if (model === 'gru4rec-parity' && isRewardLoss(loss)) {
    throw invalid(
      `gru4rec-parity learns the next item and cannot use ${loss}, which learns rewards`,
    )
  }
  const own = specificOptions.flatMap(([name, [of, defaultValue]]) => {
    const given = options[name]
    if (of.includes(loss) || of.includes(optimizer)) {
      return [[name, given ?? base[name] ?? defaultValue]]
    }
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
    rate: options.rate ?? baseRate ?? (optimizer === 'adagrad' ? 0.05 : 0.005),
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
  const loss = model === 'matrix-factorization' ? 'squared-error' : 'softmax'
  return { loss, optimizer: 'adam', epochs: 20, batch: 32 }
}

const isRewardLoss = (loss: LossName): boolean =>
  loss === 'squared-error' || loss === 'binary-cross-entropy'

export interface SetupOptions extends RecipeOptions {
  readonly model?: ModelName
  /** Settings of the architecture. */
  readonly set?: Readonly<Record<string, OptionValue>>
  readonly patience?: number
}

export type TrainingSetup = ReturnType<typeof setUpTraining>

/** Options override single values of a recipe. */
export function setUpTraining(options: SetupOptions, itemCount: number, log?: LogSize) {
  const { model, set = {}, patience } = options
  if (model !== undefined) {
    return {
      architecture: createArchitecture({ ...set, model }),
      recipe: completeRecipe(model, options),
      patience: patience ?? 5,
      startsFromMemory: false,
    }
  }
  const recipe = defaultRecipe(itemCount, log)
  const defaultModel = recipe.architecture.model as ModelName
  return {
    architecture: createArchitecture({ ...recipe.architecture, ...set }),
    recipe: completeRecipe(defaultModel, options, baseFrom(recipe)),
    patience: patience ?? recipe.patience,
    /** Item embeddings start as factors of the transition memory, as in a service. */
    startsFromMemory: true,
  }
}
