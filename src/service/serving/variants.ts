// Who is served by which variant: a hash of the user's name, so that it needs no memory and never
// changes while the variants, their shares and the seed stay.

import { createRandom } from '../../core/random.ts'
import type { CompleteVariant, CompleteSettings } from '../complete-settings.ts'

export interface Split {
  variantOf(user: string): CompleteVariant
  /** The name of the group that learns from a variant; null where there is no such variant. */
  groupOf(variant: string): string | null
}

/** The one group of all variants where they share a model. */
export const sharedGroup = 'shared'

export function createSplit({
  variants,
  models,
  seed,
}: Pick<CompleteSettings, 'variants' | 'models' | 'seed'>): Split {
  // The name of the stream is part of every user's assignment: it stays, whatever variants are called.
  const random = createRandom(seed).fork('arms')
  const total = variants.reduce((sum, { share }) => sum + share, 0)
  // Rounding may leave a sliver above the last threshold: it belongs to the last variant with a share.
  const last = variants.findLast(({ share }) => share > 0)!
  const groups = new Map(
    variants.map(({ name }) => [name, models === 'shared' ? sharedGroup : name] as const),
  )
  return {
    variantOf(user) {
      if (variants.length === 1) return last
      let left = random.fork(user).uniform() * total
      for (const variant of variants) {
        left -= variant.share
        if (left < 0) return variant
      }
      return last
    },
    groupOf: (variant) => groups.get(variant) ?? null,
  }
}
