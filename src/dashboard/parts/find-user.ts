// Finds the user whose slate is shown.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { FetchState } from '../api/use-fetch.ts'
import type { UserInfo } from '../../service/index.ts'

/** The name of an unknown user. */
export const newUser = '(a new user)'

export interface FoundUser {
  readonly user: string
  /** Null for an unknown user. */
  readonly info: UserInfo | null
}

/** The user with that name; without a name, one of the first with interactions. */
export const useFoundUser = (name: string | undefined): FetchState<FoundUser> =>
  useFetch((signal) => findUser(name, signal), [name])

async function findUser(name: string | undefined, signal: AbortSignal): Promise<FoundUser> {
  const query = name === undefined ? { limit: 50 } : { prefix: name, limit: 1 }
  const { entries } = await api.users(query, signal)
  const first = entries.find(({ interactions }) => interactions > 0) ?? entries[0]
  const user = name ?? first?.user ?? newUser
  // Names are sorted, so an existing user precedes those whose names begin with it. Fetching an
  // unknown user would be an error.
  const isKnown = entries.some((entry) => entry.user === user)
  return { user, info: isKnown ? await api.user(user, signal) : null }
}
