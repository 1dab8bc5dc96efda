// Which policy and method each arm is of, beside its figures: arms of one policy are compared and
// drawn together.

import type { Group } from './groups.ts'
import type { ArmKind } from './metrics.ts'

/** Of an arm that the settings do not have, whose slates are in the log, nothing is known. */
const unknown: ArmKind = { policy: null, method: null }

/** The kind of an arm, by its name. */
export function armKinds(groups: readonly Group[]): (arm: string) => ArmKind {
  const kinds = new Map(
    groups.flatMap(({ arms, policies }) =>
      arms.map(({ name, method }) => [name, { policy: policies.get(name)!.name, method }] as const),
    ),
  )
  return (arm) => kinds.get(arm) ?? unknown
}
