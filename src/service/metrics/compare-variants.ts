// Compares variants by the mean reward per slate. The confidence intervals account for the fact that
// users, not slates, are assigned to variants.
//
// R = Σy/Σx over users with x slates and a total reward of y. By the delta method, the variance of R
// is s_e²/(n·x̄²), with e = y − R·x.

import { studentCriticalValue } from '../../core/statistics.ts'
import type { UserState } from '../../recommender/index.ts'
import type { LogEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { FoldedGroup } from '../log/fold.ts'
import type { VariantComparison, VariantDifference, VariantFigure } from '../schemas/figures.ts'
import type { Split } from '../state/model-groups.ts'

export type UserTotals = Pick<UserState, 'slates' | 'slateReward'>

interface StandardError {
  readonly value: number
  readonly degrees: number
}

export type VariantSums = ReturnType<typeof createVariantSums>

/** Sums over the users of a variant, updated with each event. */
export function createVariantSums() {
  let [users, slates, reward] = [0, 0, 0]
  let [slatesSquared, rewardSquared, product] = [0, 0, 0]

  function count(x: number, y: number, times: 1 | -1): void {
    if (x === 0 && y === 0) return
    users += times
    slates += times * x
    reward += times * y
    slatesSquared += times * x * x
    rewardSquared += times * y * y
    product += times * x * y
  }

  const ratio = () => (slates > 0 ? reward / slates : null)

  function error(): StandardError | null {
    const r = ratio()
    if (r === null || users < 2) return null
    const squares = rewardSquared - 2 * r * product + r * r * slatesSquared
    // If all users are alike, only rounding errors remain, which say nothing about the next user.
    if (squares <= roundingShare * (rewardSquared + r * r * slatesSquared)) return null
    return { value: Math.sqrt((users / (users - 1)) * squares) / slates, degrees: users - 1 }
  }

  return {
    add: (user: UserTotals): void => count(user.slates, user.slateReward, 1),
    /** Reverts `add`. */
    remove: (user: UserTotals): void => count(user.slates, user.slateReward, -1),
    figure: (variant: string): VariantFigure => ({
      variant,
      users,
      slates,
      reward: ratio(),
      interval: intervalOf(ratio(), error()),
    }),
    /** The standard error of R; null if there are too few users, or all are alike. */
    get error(): StandardError | null {
      return error()
    },
  }
}

const roundingShare = 1e-12

/** Compares each variant with the first. */
export function compareVariants(
  models: VariantComparison['models'],
  variants: readonly (readonly [name: string, sums: VariantSums])[],
) {
  return {
    models,
    measures: measures[models],
    variants: variants.map(([name, sums]) => sums.figure(name)),
    differences: variants.slice(1).map((variant) => differenceOf(variant, variants[0]!)),
  }
}

const oneLook =
  'The 95% confidence intervals are over users and hold for one look at the data: if you look ' +
  'repeatedly and stop when the result pleases you, they are too narrow.'

const measures = {
  own:
    'The mean reward per slate. Each variant has its own model and learns only from its own users, ' +
    `so a difference includes the benefit of exploration for learning. ${oneLook}`,
  shared:
    'The immediate reward per slate only. The variants share one model, so each profits from the ' +
    `exploration of the others, and the benefit of exploration for learning is not measured. ${oneLook}`,
} as const satisfies Record<VariantComparison['models'], string>

function differenceOf(
  [variant, sums]: readonly [string, VariantSums],
  [against, first]: readonly [string, VariantSums],
): VariantDifference {
  const [own, other] = [sums.figure(variant).reward, first.figure(against).reward]
  const difference = own === null || other === null ? null : own - other
  const interval = intervalOf(difference, differenceError(sums, first))
  return { variant, against, difference, interval }
}

/** The standard error of a difference, with degrees of freedom by Welch and Satterthwaite. */
function differenceError({ error: a }: VariantSums, { error: b }: VariantSums) {
  if (a === null || b === null) return null
  const [va, vb] = [a.value ** 2, b.value ** 2]
  const degrees = (va + vb) ** 2 / (va ** 2 / a.degrees + vb ** 2 / b.degrees)
  return { value: Math.sqrt(va + vb), degrees: Math.max(1, Math.floor(degrees)) }
}

/** With more degrees of freedom, the t distribution is practically normal. */
const maxDegrees = 1000

function intervalOf(
  estimate: number | null,
  error: StandardError | null,
): VariantFigure['interval'] {
  if (estimate === null || error === null) return null
  const reach = studentCriticalValue(0.95, Math.min(error.degrees, maxDegrees)) * error.value
  return [estimate - reach, estimate + reach]
}

export type VariantTotals = ReturnType<typeof createVariantTotals>

/**
 * The sums of all variants, starting from the state of the groups. They are updated with each event,
 * so that a comparison does not iterate over users.
 */
export function createVariantTotals(
  { variants, models }: Pick<CompleteSettings, 'variants' | 'models'>,
  split: Split,
  groups: readonly FoldedGroup[],
) {
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
    /** Runs a change to the state of users, and updates their contribution to the sums. */
    around(users: readonly string[], change: () => void): void {
      for (const user of users) count(user, (variant, totals) => variant.remove(totals))
      change()
      for (const user of users) count(user, (variant, totals) => variant.add(totals))
    },
    compare: () => compareVariants(models, [...sums]),
  }
}

/** The users whom an event changes, each once. */
export function usersOf(event: LogEvent): readonly string[] {
  if (event.kind === 'users-merged') return [...new Set([event.user, event.from])]
  return 'user' in event ? [event.user] : []
}
