// Users as the library shows them, and what can be done about one.

import { requireCount, requirePositiveInteger } from '../../exploration/requirements.ts'
import type { CatalogView, UserState } from '../../recommender/index.ts'
import { invalid } from '../../recommender/requirements.ts'
import { requireText } from '../../storage/plain-json.ts'
import type { UserInfo, UsersApi } from '../service.ts'
import type { ServiceParts } from '../service-parts.ts'

type ReadDependencies = Pick<
  ServiceParts,
  'catalog' | 'groupOf' | 'split' | 'userNames' | 'store' | 'requireOpen'
>

type Dependencies = ReadDependencies &
  Pick<ServiceParts, 'groups' | 'journal' | 'tailer' | 'settings'>

export function createUsersApi(dependencies: Dependencies): UsersApi {
  const { groups, journal, tailer, settings, split, requireOpen } = dependencies
  return {
    ...createUserReads(dependencies),
    async merge(from, into) {
      requireOpen()
      requireText(from, 'from')
      requireText(into, 'into')
      if (from === into) throw invalid(`merge: from and into must be two users, got ${into} twice`)
      const time = settings.clock()
      return { position: await journal.commit({ kind: 'users-merged', user: into, from, time }) }
    },
    async erase(user) {
      requireOpen()
      requireText(user, 'user')
      const variantOf = (name: string) => split.variantOf(name).name
      const time = settings.clock()
      const { position, events } = await journal.eraseUser({ user, time, variantOf })
      await tailer.applied(position)
      return { position, events }
    },
    get count() {
      return groups.reduce((sum, { recommender }) => sum + recommender.state.users.size, 0)
    },
  }
}

type UserReads = Pick<UsersApi, 'get' | 'events' | 'list'>

function createUserReads(dependencies: ReadDependencies): UserReads {
  const { catalog, groupOf, split, userNames, store, requireOpen } = dependencies
  const stateOf = (user: string): UserState | undefined =>
    groupOf(split.variantOf(user).name).recommender.state.users.get(user)

  return {
    get(user, limit = 100) {
      requireOpen()
      requireText(user, 'user')
      requirePositiveInteger('limit', limit)
      const state = stateOf(user)
      if (state === undefined) return null
      const { slates } = state
      return {
        user,
        variant: split.variantOf(user).name,
        history: historyOf(state, catalog, limit),
        slates,
      }
    },
    async events(user, { before, limit }) {
      requireOpen()
      requireText(user, 'user')
      requirePositiveInteger('limit', limit)
      if (before !== undefined) requireCount('before', before)
      // One more than asked for tells whether there is a next page.
      const found = await store.eventsOf(user, {
        limit: limit + 1,
        ...(before !== undefined && { before }),
      })
      const next = found.length > limit ? found[limit - 1]!.position : null
      return { entries: found.slice(0, limit), next }
    },
    list(page) {
      requireOpen()
      requirePositiveInteger('limit', page.limit)
      const { names, more } = userNames.page(page)
      const entries = names.map((user) => {
        const { history, slates } = stateOf(user)!
        const interactions = history.dropped + history.length
        return { user, variant: split.variantOf(user).name, interactions, slates }
      })
      return { entries, next: more ? names.at(-1)! : null }
    },
  }
}

/** The newest first. */
function historyOf(
  { history }: UserState,
  { names }: CatalogView,
  limit: number,
): UserInfo['history'] {
  const { items, rewards, times } = history.columns(Math.max(0, history.length - limit))
  const last = items.length - 1
  return Array.from(items, (_, i) => ({
    item: names[items[last - i]!]!,
    reward: rewards[last - i]!,
    time: times[last - i]!,
  }))
}
