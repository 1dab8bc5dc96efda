// What `ren train` trains: the model and options on the command line, or the default recipe.

import { RenError } from '../core/errors.ts'
import { createArchitecture, defaultRecipe } from '../models/index.ts'
import type { Architecture, ModelName, LogSize } from '../models/index.ts'
import type { OptionValue } from './option-values.ts'
import { baseFrom, completeRecipe } from './recipe.ts'
import type { Recipe, RecipeOptions } from './recipe.ts'

/** Options are held to the kind of their defaults, since a command line has only texts. */
export function architectureFrom(
  model: ModelName,
  options: Readonly<Record<string, OptionValue>>,
): Architecture {
  const { description: defaults } = createArchitecture({ model })
  for (const [key, value] of Object.entries(options)) {
    const usual = defaults[key]
    if (usual === undefined || typeof value === typeof usual) continue
    throw invalid(
      `${model}: expected ${key} to be a ${typeof usual}, such as ${JSON.stringify(usual)}, got ${value}`,
    )
  }
  const architecture = createArchitecture({ ...options, model })
  for (const [key, value] of Object.entries(options)) {
    if (architecture.description[key] === value) continue
    throw invalid(`${model}: ${key} follows from the rest and cannot be set`)
  }
  return architecture
}

const invalid = (message: string): RenError => new RenError('invalid-argument', message)

export interface PlanOptions extends RecipeOptions {
  readonly model?: ModelName
  /** Options of the architecture. */
  readonly option?: Readonly<Record<string, OptionValue>>
  readonly patience?: number
}

export interface TrainingPlan {
  readonly architecture: Architecture
  readonly recipe: Recipe
  readonly patience: number
  /** Whether item embeddings start at factors of the transition memory, as in a service. */
  readonly startsFromMemory: boolean
}

/** Options change single values of a recipe and leave the others as they are. */
export function planTraining(options: PlanOptions, itemCount: number, log?: LogSize): TrainingPlan {
  const { model, option = {}, patience } = options
  if (model !== undefined) {
    return {
      architecture: architectureFrom(model, option),
      recipe: completeRecipe(model, options),
      patience: patience ?? 5,
      startsFromMemory: false,
    }
  }
  const recipe = defaultRecipe(itemCount, log)
  const { model: name, ...usual } = recipe.architecture
  const defaultModel = name as ModelName
  return {
    architecture: architectureFrom(defaultModel, {
      ...(usual as Readonly<Record<string, OptionValue>>),
      ...option,
    }),
    recipe: completeRecipe(defaultModel, options, baseFrom(recipe)),
    patience: patience ?? recipe.patience,
    startsFromMemory: true,
  }
}
