// A user's interactions as models read them.

import type { History } from '../models/index.ts'
import { newUser } from './user-state.ts'
import type { UserState } from './user-state.ts'

/** The state of a user without events. */
export const unknownUser: UserState = newUser()

/** The interactions that are kept, without a copy: good until the user's next event. */
export function historyOf({ history, timeBefore }: UserState): History {
  return { ...history.columns(), ...(timeBefore !== null && { timeBefore }) }
}
