// What the users of each variant got, kept up to date event by event, so that variants can be compared at any
// time without a look at everybody.

import type { LogEvent } from '../storage/index.ts'
import type { Split } from './variants.ts'
import { compareVariants, createVariantSums } from './compare-variants.ts'
import type { VariantSums, Comparison, UserTotals } from './compare-variants.ts'
import type { CompleteSettings } from './complete-settings.ts'
import type { FoldedGroup } from './fold.ts'

export interface VariantTotals {
  /** Runs a change of the state of these users, and counts them again. */
  around(users: readonly string[], change: () => void): void
  compare(): Comparison
}

/** Begins with what the groups know. */
export function createVariantTotals(
  { variants, models }: Pick<CompleteSettings, 'variants' | 'models'>,
  split: Split,
  groups: readonly FoldedGroup[],
): VariantTotals {
  const sums = new Map(variants.map(({ name }) => [name, createVariantSums()] as const))
  const groupOfVariant = new Map(
    variants.map(({ name }) => [name, groups.find((group) => group.name === split.groupOf(name))!]),
  )

  function count(user: string, how: (sums: VariantSums, totals: UserTotals) => void): void {
    const variant = split.variantOf(user).name
    const state = groupOfVariant.get(variant)!.recommender.state.users.get(user)
    if (state !== undefined) how(sums.get(variant)!, state)
  }

  for (const { recommender } of groups) {
    for (const user of recommender.state.users.keys())
      count(user, (variant, totals) => variant.add(totals))
  }

  return {
    around(users, change) {
      for (const user of users) count(user, (variant, totals) => variant.remove(totals))
      change()
      for (const user of users) count(user, (variant, totals) => variant.add(totals))
    },
    compare: () => compareVariants(models, [...sums]),
  }
}

/** Each user once whom an event changes. */
export function usersOf(event: LogEvent): readonly string[] {
  if (event.kind === 'users-merged') return [...new Set([event.user, event.from])]
  return 'user' in event ? [event.user] : []
}
