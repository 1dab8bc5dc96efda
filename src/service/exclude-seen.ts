// Which items a slate leaves out because its user has seen them.

import { describeValue } from '../core/describe-value.ts'
import { invalid } from '../recommender/requirements.ts'

/**
 * Which items a slate leaves out: those that the user interacted with (true, or `taken`), also those
 * that were shown to the user (`shown`), or none (false). `auto` chooses true where the log shows that
 * users hardly ever repeat, else false; it never makes a slate shorter.
 */
export type ExcludeSeen = boolean | 'auto' | 'taken' | 'shown'

/** What requests without `excludeSeen` leave out, and the evidence for it. */
export interface ExcludeSeenStatus {
  readonly mode: ExcludeSeen
  /** Whether they leave out items that the user has seen. */
  readonly excludes: boolean
  /** The share of repeats among `interactions`; null without any. */
  readonly repeatRate: number | null
  /** Interactions that could have been repeats. */
  readonly interactions: number
}

const known = new Set<unknown>([true, false, 'auto', 'taken', 'shown'])

export function requireExcludeSeen(value: unknown): asserts value is ExcludeSeen {
  if (known.has(value)) return
  throw invalid(
    `excludeSeen must be true, false, auto, taken or shown, got ${describeValue(value)}`,
  )
}
