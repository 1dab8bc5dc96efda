// The plan of `ren train`: the model and options of the command line, or the default recipe.

import { createArchitecture, defaultRecipe } from '../models/index.ts'
import type { Architecture, ModelName, LogSize } from '../models/index.ts'
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
  /** Whether item embeddings start as factors of the transition memory, as in a service. */
  readonly startsFromMemory: boolean
}

/** Options override single values of a recipe. */
export function planTraining(options: PlanOptions, itemCount: number, log?: LogSize): TrainingPlan {
  const { model, option = {}, patience } = options
  if (model !== undefined) {
    return {
      architecture: createArchitecture({ ...option, model }),
      recipe: completeRecipe(model, options),
      patience: patience ?? 5,
      startsFromMemory: false,
    }
  }
  const recipe = defaultRecipe(itemCount, log)
  const defaultModel = recipe.architecture.model as ModelName
  return {
    architecture: createArchitecture({ ...recipe.architecture, ...option }),
    recipe: completeRecipe(defaultModel, options, baseFrom(recipe)),
    patience: patience ?? recipe.patience,
    startsFromMemory: true,
  }
}
