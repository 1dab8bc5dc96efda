// Users: lists, details, events, merging and erasure.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { LogEvent } from '../../../storage/index.ts'
import { userEntry, userInfo } from '../../schemas/items.ts'
import type { UserEventPage, UsersApi } from '../../service.ts'
import { limits } from '../../limits.ts'
import { at } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/words.ts'

const userEventPage = t.answers<UserEventPage>()('UserEventPage', {
  entries: t.list(
    t.named('StoredEvent', {
      position: t.position,
      id: Type.Optional(Type.String()),
      event: Type.Unsafe<LogEvent>(t.anyObject),
    }),
  ),
  next: t.orNull(t.position),
})

export const merge = t.named('Merge', { from: t.name, into: t.name })

const params = t.closed({ user: t.name })

export function userRoutes(app: App, users: UsersApi): void {
  readUsers(app, users)

  app.route({
    ...at('mergeUsers'),
    schema: {
      body: merge,
      response: { 200: t.named('Done', { position: t.position }), ...failures },
    },
    handler: ({ body: { from, into } }) => users.merge(from, into),
  })

  app.route({
    ...at('eraseUser'),
    schema: {
      params,
      response: {
        200: t.named('Erasure', { position: t.position, events: t.wholeNumber(0) }),
        ...failures,
      },
    },
    handler: ({ params: { user } }) => users.erase(user),
  })
}

function readUsers(app: App, users: UsersApi): void {
  app.route({
    ...at('users'),
    schema: {
      querystring: t.closed(t.pageQuery),
      response: { 200: t.pageOf(userEntry, 'UserPage'), ...failures },
    },
    handler: async ({ query: { limit = 100, ...page } }) => users.list({ ...page, limit }),
  })

  app.route({
    ...at('user'),
    schema: {
      params,
      querystring: t.closed({ limit: Type.Optional(t.wholeNumber(1, limits.count)) }),
      response: { 200: userInfo, ...failures },
    },
    handler: async ({ params: { user }, query: { limit = 100 } }) => {
      const found = users.get(user, limit)
      if (found) return found
      throw new RenError('not-found', `there is no user ${JSON.stringify(user)}`)
    },
  })

  app.route({
    ...at('userEvents'),
    schema: {
      params,
      querystring: t.closed({
        before: Type.Optional(t.position),
        limit: Type.Optional(t.wholeNumber(1, limits.count)),
      }),
      response: { 200: userEventPage, ...failures },
    },
    handler: ({ params: { user }, query: { limit = 100, ...page } }) =>
      users.events(user, { ...page, limit }),
  })
}
