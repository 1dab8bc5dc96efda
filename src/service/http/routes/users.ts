// The routes of users: lists, details, events, merging and erasure.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import { userEntry, userEventPage, userInfo } from '../../schemas/items.ts'
import type { UsersApi } from '../../service.ts'
import { limits } from '../../limits.ts'
import { addRoute } from '../operations.ts'
import type { App } from '../guard.ts'
import * as t from '../../schemas/words.ts'

export const merge = t.named('Merge', { from: t.name, into: t.name })

const params = t.closed({ user: t.name })

const limit = Type.Optional(t.wholeNumber(1, limits.count))
const limitQuery = t.closed({ limit })
const eventQuery = t.closed({ before: Type.Optional(t.position), limit })

export function userRoutes(app: App, users: UsersApi): void {
  const done = t.named('Done', { position: t.position })
  addRoute(app, 'mergeUsers', { body: merge, answer: done }, ({ body: { from, into } }) =>
    users.merge(from, into),
  )

  const erasure = t.named('Erasure', { position: t.position, events: t.wholeNumber(0) })
  addRoute(app, 'eraseUser', { params, answer: erasure }, ({ params: { user } }) =>
    users.erase(user),
  )

  const listing = { querystring: t.closed(t.pageQuery), answer: t.pageOf(userEntry, 'UserPage') }
  addRoute(app, 'users', listing, ({ query }) => users.list({ limit: 100, ...query }))

  addRoute(
    app,
    'user',
    { params, querystring: limitQuery, answer: userInfo },
    ({ params: { user }, query }) => {
      const found = users.get(user, query.limit)
      if (found) return found
      throw new RenError('not-found', `there is no user ${JSON.stringify(user)}`)
    },
  )

  addRoute(
    app,
    'userEvents',
    { params, querystring: eventQuery, answer: userEventPage },
    ({ params: { user }, query }) => users.events(user, { limit: 100, ...query }),
  )
}
