// The `users` part of the service API.

import { invalidAt } from '../../core/errors.ts'
import { requireCount, requirePositiveInteger } from '../../exploration/requirements.ts'
import type { CatalogView, UserState } from '../../recommender/index.ts'
import type { EventStore } from '../../storage/index.ts'
import { requireName } from '../../storage/log-event.ts'
import type { Tailer } from '../log/tailer.ts'
import type { ServiceParts } from '../service-api.ts'
import type { UserEventPage, UsersApi } from '../service.ts'
import type { LiveState } from '../state/live-state.ts'
import { pageOfNames } from './page-of-names.ts'

export function createUsersApi({
  state,
  journal,
  tailer,
  settings,
  store,
}: Pick<ServiceParts, 'state' | 'journal' | 'tailer' | 'settings' | 'store'>): UsersApi {
  return {
    ...createUserReads(state, tailer),
    async events(user, page) {
      tailer.beginCall()
      return readEvents(store, user, page)
    },
    async merge(from, into) {
      tailer.beginRead()
      requireName(from, 'from')
      requireName(into, 'into')
      if (from === into) throw invalidAt('from', `must differ from into, got ${into} twice`)
      const time = settings.clock()
      return { position: await journal.commit({ kind: 'users-merged', user: into, from, time }) }
    },
    async erase(user) {
      tailer.beginRead()
      requireName(user, 'user')
      const variantOf = (name: string) => state.split.variantOf(name).name
      const time = settings.clock()
      const { position, events } = await journal.eraseUser({ user, time, variantOf })
      await tailer.applied(position)
      return { position, events }
    },
    get count() {
      tailer.applyReceived()
      return state.userCount
    },
  }
}

function createUserReads(state: LiveState, tailer: Tailer): Pick<UsersApi, 'get' | 'list'> {
  const stateOf = (user: string): UserState | undefined =>
    state.servedBy(user).group.recommender.state.users.get(user)
  const variantOf = (user: string): string => state.split.variantOf(user).name

  return {
    get(user, limit = 100) {
      tailer.beginRead()
      requireName(user, 'user')
      requirePositiveInteger('limit', limit)
      const known = stateOf(user)
      if (known === undefined) return null
      const history = historyOf(known, state.catalog, limit)
      return { user, variant: variantOf(user), history, slates: known.slates }
    },
    list(page) {
      tailer.beginRead()
      requirePositiveInteger('limit', page.limit)
      const { names, more } = pageOfNames(state.userNames(), page)
      const entries = names.map((user) => {
        const { history, slates } = stateOf(user)!
        const interactions = history.dropped + history.length
        return { user, variant: variantOf(user), interactions, slates }
      })
      return { entries, next: more ? names.at(-1)! : null }
    },
  }
}

async function readEvents(
  store: EventStore,
  user: string,
  { before, limit }: Parameters<UsersApi['events']>[1],
): Promise<UserEventPage> {
  requireName(user, 'user')
  requirePositiveInteger('limit', limit)
  if (before !== undefined) requireCount('before', before)
  // One more than requested tells whether there is a next page.
  const page = { limit: limit + 1, ...(before !== undefined && { before }) }
  const found = await store.eventsOf(user, page)
  const next = found.length > limit ? found[limit - 1]!.position : null
  return { entries: found.slice(0, limit), next }
}

/** Newest first. */
function historyOf({ history }: UserState, { names }: CatalogView, limit: number) {
  const { items, rewards, times } = history.columns(Math.max(0, history.length - limit))
  const last = items.length - 1
  return Array.from(items, (_, i) => ({
    item: names[items[last - i]!]!,
    reward: rewards[last - i]!,
    time: times[last - i]!,
  }))
}
