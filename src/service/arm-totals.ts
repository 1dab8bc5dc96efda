// What the users of each arm got, kept up to date event by event, so that arms can be compared at any
// time without a look at everybody.

import type { LogEvent } from '../storage/index.ts'
import type { Split } from './arms.ts'
import { compareArms, createArmSums } from './compare-arms.ts'
import type { ArmSums, Comparison, UserTotals } from './compare-arms.ts'
import type { CompleteSettings } from './complete-settings.ts'
import type { FoldedGroup } from './fold.ts'

export interface ArmTotals {
  /** Runs a change of the state of these users, and counts them again. */
  around(users: readonly string[], change: () => void): void
  compare(): Comparison
}

/** Begins with what the groups know. */
export function createArmTotals(
  { arms, models }: Pick<CompleteSettings, 'arms' | 'models'>,
  split: Split,
  groups: readonly FoldedGroup[],
): ArmTotals {
  const sums = new Map(arms.map(({ name }) => [name, createArmSums()] as const))
  const groupOfArm = new Map(
    arms.map(({ name }) => [name, groups.find((group) => group.name === split.groupOf(name))!]),
  )

  function count(user: string, how: (sums: ArmSums, totals: UserTotals) => void): void {
    const arm = split.armOf(user).name
    const state = groupOfArm.get(arm)!.recommender.state.users.get(user)
    if (state !== undefined) how(sums.get(arm)!, state)
  }

  for (const { recommender } of groups) {
    for (const user of recommender.state.users.keys()) count(user, (arm, totals) => arm.add(totals))
  }

  return {
    around(users, change) {
      for (const user of users) count(user, (arm, totals) => arm.remove(totals))
      change()
      for (const user of users) count(user, (arm, totals) => arm.add(totals))
    },
    compare: () => compareArms(models, [...sums]),
  }
}

/** Each user once whom an event changes. */
export function usersOf(event: LogEvent): readonly string[] {
  if (event.kind === 'users-merged') return [...new Set([event.user, event.from])]
  return 'user' in event ? [event.user] : []
}
