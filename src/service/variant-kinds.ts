// Which policy and method each variant is of, beside its figures: variants of one policy are compared and
// drawn together.

import type { ModelGroup } from './model-groups.ts'
import type { VariantKind } from './metrics.ts'

/** Of a variant that the settings do not have, whose slates are in the log, nothing is known. */
const unknown: VariantKind = { policy: null, method: null }

/** The kind of a variant, by its name. */
export function variantKinds(groups: readonly ModelGroup[]): (variant: string) => VariantKind {
  const kinds = new Map(
    groups.flatMap(({ variants, policies }) =>
      variants.map(
        ({ name, method }) => [name, { policy: policies.get(name)!.name, method }] as const,
      ),
    ),
  )
  return (variant) => kinds.get(variant) ?? unknown
}
