// The routes of users: lists, details, events, merging and erasure.

import { RenError } from '../../../core/errors.ts'
import { userEntry, userEventPage, userInfo } from '../../schemas/items.ts'
import type { UsersApi } from '../../service.ts'
import { limits } from '../../limits.ts'
import { addRoute } from '../operations.ts'
import type { App } from '../server.ts'
import * as t from '../../schemas/builders.ts'

export const merge = t.named('Merge', {
  from: t.field('The user whose history moves, such as an anonymous visitor.', t.name),
  into: t.field('The user who receives the history.', t.name),
})

const params = t.closed({ user: t.field('The name of the user.', t.name) })

const eventLimit = t.optional(
  'The maximum number of events. Defaults to 100.',
  t.wholeNumber(1, limits.count),
)
const limitQuery = t.closed({ limit: eventLimit })
const eventQuery = t.closed({
  before: t.optional(
    'Lists events before this log position: `next` of the previous page.',
    t.position,
  ),
  limit: eventLimit,
})

export function userRoutes(app: App, users: UsersApi): void {
  addRoute(app, 'mergeUsers', { body: merge, answer: t.done }, ({ body: { from, into } }) =>
    users.merge(from, into),
  )

  const erasure = t.named('Erasure', {
    ...t.done.properties,
    events: t.count('The number of events that were erased.'),
  })
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
