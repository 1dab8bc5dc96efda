// The arms of a demonstration beside each other: each seed is a world of its own, so that an arm is
// set against one of the same seed, and policies against each other over all seeds.

import { mean, standardError } from '../../core/mean.ts'
import { studentCriticalValue } from '../../core/student-t.ts'
import type { ArmDifference, ArmFigure, DemonstrationArm } from '../../service/index.ts'

export type Entrant = Pick<DemonstrationArm, 'arm' | 'policy' | 'seed'>

export interface Pairs {
  /** The policy that the others are set against. */
  readonly base: string
  /** Each arm of another policy against that of the base in its seed. */
  readonly differences: readonly ArmDifference[]
  /** Each other policy, over its seeds; without an interval where there is one seed. */
  readonly policies: readonly ArmDifference[]
}

/** The first policy is the base; null where nobody has entered. */
export function pairArms(
  arms: readonly Pick<ArmFigure, 'arm' | 'reward'>[],
  entrants: readonly Entrant[],
): Pairs | null {
  const base = entrants[0]?.policy
  if (base === undefined) return null
  const rewards = new Map(arms.map(({ arm, reward }) => [arm, reward]))
  const bases = entrants.filter(({ policy }) => policy === base)
  const pairs = entrants.flatMap(({ arm, policy, seed }) => {
    const other = bases.find((each) => each.seed === seed)
    if (policy === base || !other) return []
    const [own, theirs] = [rewards.get(arm) ?? null, rewards.get(other.arm) ?? null]
    const difference = own === null || theirs === null ? null : own - theirs
    return { arm, against: other.arm, difference, interval: null, policy }
  })
  return {
    base,
    differences: pairs,
    policies: Array.from(
      Map.groupBy(pairs, ({ policy }) => policy),
      ([policy, seeds]) =>
        overSeeds(
          policy,
          base,
          seeds.flatMap(({ difference }) => difference ?? []),
        ),
    ),
  }
}

function overSeeds(arm: string, against: string, differences: readonly number[]): ArmDifference {
  const count = differences.length
  if (count === 0) return { arm, against, difference: null, interval: null }
  const difference = mean(differences)
  if (count === 1) return { arm, against, difference, interval: null }
  const reach = studentCriticalValue(0.95, count - 1) * standardError(differences)
  return { arm, against, difference, interval: [difference - reach, difference + reach] }
}
