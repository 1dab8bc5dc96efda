// What `ren train` trains: the model that its options name, or the default recipe's.

import { defaultRecipe } from '../models/index.ts'
import type { Architecture, LogSize, ModelName } from '../models/index.ts'
import { architectureFrom } from './architecture-options.ts'
import type { OptionValue } from './option-values.ts'
import { baseFrom, completeRecipe } from './recipe.ts'
import type { Recipe, RecipeOptions } from './recipe.ts'

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
