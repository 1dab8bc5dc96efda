// Users: lists, details, events, merging and erasure.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { LogEvent } from '../../../storage/index.ts'
import type { UserEventPage, UserInfo, UsersApi } from '../../service.ts'
import { limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { pageOf, pageQuery } from '../schemas/words.ts'
import {
  answers,
  anyObject,
  closed,
  finite,
  list,
  name,
  orNull,
  position,
  time,
  wholeNumber,
} from '../schemas/words.ts'

const userInfo = answers<UserInfo>()(
  closed(
    {
      user: Type.String(),
      variant: Type.String(),
      history: list(closed({ item: Type.String(), reward: finite, time })),
      slates: wholeNumber(0),
    },
    'User',
  ),
)

const userEventPage = answers<UserEventPage>()(
  closed(
    {
      entries: list(
        closed(
          { position, id: Type.Optional(Type.String()), event: Type.Unsafe<LogEvent>(anyObject) },
          'StoredEvent',
        ),
      ),
      next: orNull(position),
    },
    'UserEventPage',
  ),
)

const userEntry = closed(
  {
    user: Type.String(),
    variant: Type.String(),
    interactions: wholeNumber(0),
    slates: wholeNumber(0),
  },
  'UserEntry',
)

export const merge = closed({ from: name, into: name }, 'Merge')

const params = closed({ user: name })

export function userRoutes(app: App, { service: { users } }: Parts): void {
  readUsers(app, users)

  app.route({
    ...at('mergeUsers'),
    schema: { body: merge, response: { 200: closed({ position }, 'Done'), ...failures } },
    handler: ({ body: { from, into } }) => users.merge(from, into),
  })

  app.route({
    ...at('eraseUser'),
    schema: {
      params,
      response: { 200: closed({ position, events: wholeNumber(0) }, 'Erasure'), ...failures },
    },
    handler: ({ params: { user } }) => users.erase(user),
  })
}

function readUsers(app: App, users: UsersApi): void {
  app.route({
    ...at('users'),
    schema: {
      querystring: closed(pageQuery),
      response: { 200: pageOf(userEntry, 'UserPage'), ...failures },
    },
    handler: async ({ query: { limit = 100, ...page } }) => users.list({ ...page, limit }),
  })

  app.route({
    ...at('user'),
    schema: {
      params,
      querystring: closed({ limit: Type.Optional(wholeNumber(1, limits.count)) }),
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
      querystring: closed({
        before: Type.Optional(position),
        limit: Type.Optional(wholeNumber(1, limits.count)),
      }),
      response: { 200: userEventPage, ...failures },
    },
    handler: ({ params: { user }, query: { limit = 100, ...page } }) =>
      users.events(user, { ...page, limit }),
  })
}
