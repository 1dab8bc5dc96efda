// The user whose slate is looked at.

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import type { Asked } from '../api/use-asked.ts'
import type { UserInfo } from '../../service/index.ts'

/** A name for somebody whom no service knows. */
export const newUser = '(a new user)'

export interface FoundUser {
  readonly user: string
  /** Null where nothing is known of them. */
  readonly info: UserInfo | null
}

/** The user of that name; without a name, one of the first who has done something. */
export const useFoundUser = (name: string | undefined): Asked<FoundUser> =>
  useAsked((signal) => findUser(name, signal), [name])

async function findUser(name: string | undefined, signal: AbortSignal): Promise<FoundUser> {
  const query = name === undefined ? { limit: 50 } : { prefix: name, limit: 1 }
  const { entries } = await api.users(query, signal)
  const first = entries.find(({ interactions }) => interactions > 0) ?? entries[0]
  const user = name ?? first?.user ?? newUser
  // Names come in order, so that one which is there stands before those that begin with it. To ask
  // for a user who is not there would be an error.
  const isKnown = entries.some((entry) => entry.user === user)
  return { user, info: isKnown ? await api.user(user, signal) : null }
}
