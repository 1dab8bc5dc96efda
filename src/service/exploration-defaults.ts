// How variants explore that do not say so: what blended relevance was tuned with.

import { policySettingNames } from '../exploration/index.ts'
import { methodOf } from '../recommender/index.ts'
import type { MethodSettings } from '../recommender/index.ts'

/** A tenth of every slate, and at least one slot, is for items that are little known. */
export const explorationDefaults = {
  explorationWeight: 0.1,
  exploratoryShare: 0.1,
  newItemWeight: 45,
  uncertainty: 'trial',
} as const

interface Variant {
  readonly method: string
  readonly settings: MethodSettings
}

/**
 * The variants with these defaults for what they do not name. Variants with absolute weights
 * (`diversityWeight`, `uncertaintyWeight`) explore on another scale, and stay as they are.
 */
export function withExplorationDefaults<Given extends Variant>(
  variants: readonly Given[],
  models: 'own' | 'shared',
): readonly Given[] {
  const { uncertainty, ...ofPolicy } = explorationDefaults
  // Uncertainty belongs to the model that is shared.
  const isShared = models === 'shared' && variants.some(hasDefaults)
  return variants.map((variant) => ({
    ...variant,
    settings: {
      ...(hasDefaults(variant) && ofPolicy),
      ...((isShared || hasDefaults(variant)) && { uncertainty }),
      ...variant.settings,
    },
  }))
}

function hasDefaults({ method, settings }: Variant): boolean {
  const { policy, settings: ofMethod = {} } = methodOf(method)
  const isAbsolute = ['diversityWeight', 'uncertaintyWeight'].some(
    (name) => name in settings || name in ofMethod,
  )
  return !isAbsolute && policySettingNames[policy].includes('explorationWeight')
}
