// Variants beside each other: the mean reward of a slate, with intervals that know that users, and not
// slates, were split between the variants.
//
// R = Σy/Σx over users with x slates and a reward of y. By the delta method its variance is that of
// the mean of e = y − R·x over x̄²: s_e²/(n·x̄²).

import { studentCriticalValue } from '../../core/statistics.ts'
import type { LogEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { FoldedGroup } from '../log/fold.ts'
import type { VariantComparison, VariantDifference, VariantFigure } from '../schemas/figures.ts'
import type { Split } from '../state/model-groups.ts'

/** Without what the variants are made of. */
interface Comparison extends Omit<VariantComparison, 'variants'> {
  readonly variants: readonly VariantFigure[]
}

export interface UserTotals {
  readonly slates: number
  readonly slateReward: number
}

interface StandardError {
  readonly value: number
  readonly degrees: number
}

export type VariantSums = ReturnType<typeof createVariantSums>

/** What a variant's users got, as sums that follow them from event to event. */
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
    // Where all are alike nothing but rounding is left, and it says nothing of the next user.
    if (squares <= roundingShare * (rewardSquared + r * r * slatesSquared)) return null
    return { value: Math.sqrt((users / (users - 1)) * squares) / slates, degrees: users - 1 }
  }

  return {
    add: (user: UserTotals): void => count(user.slates, user.slateReward, 1),
    /** Takes back what was added. */
    remove: (user: UserTotals): void => count(user.slates, user.slateReward, -1),
    figure: (variant: string): VariantFigure => ({
      variant,
      users,
      slates,
      reward: ratio(),
      interval: intervalOf(ratio(), error()),
    }),
    /** How far R may be off; null where there are too few users, or all are alike. */
    get error(): StandardError | null {
      return error()
    },
  }
}

const roundingShare = 1e-12

/** Each variant against the first. */
export function compareVariants(
  models: VariantComparison['models'],
  variants: readonly (readonly [name: string, sums: VariantSums])[],
): Comparison {
  return {
    models,
    measures: measures[models],
    variants: variants.map(([name, sums]) => sums.figure(name)),
    differences: variants.slice(1).map((variant) => differenceOf(variant, variants[0]!)),
  }
}

const oneLook =
  'The intervals of 95 % are over users, and for one look: who looks often and stops when they like ' +
  'what they see will be wrong more often than that.'

const measures = {
  own:
    'The mean reward of a slate. Each variant has a model of its own and learns from its own users alone, ' +
    `so a difference includes what exploring has taught. ${oneLook}`,
  shared:
    'The immediate reward of a slate, and nothing else: the variants share one model, so each learns from ' +
    `what the others have explored, and what exploring teaches is not measured. ${oneLook}`,
} as const satisfies Record<VariantComparison['models'], string>

function differenceOf(
  [variant, sums]: readonly [string, VariantSums],
  [against, first]: readonly [string, VariantSums],
): VariantDifference {
  const [own, other] = [sums.figure(variant).reward, first.figure(against).reward]
  const difference = own === null || other === null ? null : own - other
  return { variant, against, difference, interval: intervalOf(difference, joined(sums, first)) }
}

/** Of the difference of two independent estimates, with the degrees of Welch and Satterthwaite. */
function joined({ error: a }: VariantSums, { error: b }: VariantSums): StandardError | null {
  if (a === null || b === null) return null
  const [va, vb] = [a.value ** 2, b.value ** 2]
  const degrees = (va + vb) ** 2 / (va ** 2 / a.degrees + vb ** 2 / b.degrees)
  return { value: Math.sqrt(va + vb), degrees: Math.max(1, Math.floor(degrees)) }
}

/** Beyond this many degrees of freedom t is as good as normal. */
const maxDegrees = 1000

function intervalOf(
  estimate: number | null,
  error: StandardError | null,
): VariantFigure['interval'] {
  if (estimate === null || error === null) return null
  const reach = studentCriticalValue(0.95, Math.min(error.degrees, maxDegrees)) * error.value
  return [estimate - reach, estimate + reach]
}

// Totals of each variant's users, updated event by event, so that comparing variants costs nothing per
// user.

export type VariantTotals = ReturnType<typeof createVariantTotals>

/** Begins with what the groups know. */
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
    /** Runs a change of the state of these users, and counts them again. */
    around(users: readonly string[], change: () => void): void {
      for (const user of users) count(user, (variant, totals) => variant.remove(totals))
      change()
      for (const user of users) count(user, (variant, totals) => variant.add(totals))
    },
    compare: (): Comparison => compareVariants(models, [...sums]),
  }
}

/** Each user once whom an event changes. */
export function usersOf(event: LogEvent): readonly string[] {
  if (event.kind === 'users-merged') return [...new Set([event.user, event.from])]
  return 'user' in event ? [event.user] : []
}
