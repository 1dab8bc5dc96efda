// API keys.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import { makeKey } from '../key-ring.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { closed, list, name as text, oneOf, orNull, time } from '../schemas/words.ts'

const someScopes = Type.Array(oneOf('recommend', 'events', 'admin'), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'a list of recommend, events or admin, each at most once',
})

const keyToMake = closed({ name: text, scopes: someScopes }, 'KeyToMake')

const fields = { id: Type.String(), name: Type.String(), scopes: someScopes, created: time }

const keyEntry = closed({ ...fields, revoked: orNull(time) }, 'Key')

const newKey = closed(
  { ...fields, key: Type.String({ description: 'the key with its secret, shown this once' }) },
  'NewKey',
)

/** An API key as the HTTP API lists it, without the secret. */
export type KeyEntry = Static<typeof keyEntry>

export function keyRoutes(app: App, { service: { store }, keys, clock }: Parts): void {
  app.route({
    ...at('keys'),
    schema: { response: { 200: closed({ keys: list(keyEntry) }, 'Keys'), ...failures } },
    handler: async () => ({
      keys: (await store.keys()).map(({ id, name, scopes, created, revoked }) => {
        return { id, name, scopes: [...scopes], created, revoked }
      }),
    }),
  })

  app.route({
    ...at('makeKey'),
    schema: { body: keyToMake, response: { 201: newKey, ...failures } },
    handler: async ({ body: { name, scopes } }, reply) => {
      if (!keys.locked) requireAdmin(scopes)
      const { key, stored } = makeKey({ name, scopes, time: clock() })
      await store.addKey(stored)
      await keys.refresh()
      const { id, created } = stored
      return reply.code(201).send({ id, name, scopes, created, key })
    },
  })

  app.route({
    ...at('revokeKey'),
    schema: {
      params: closed({ id: text }),
      response: { 200: closed({ id: text }, 'Revoked'), ...failures },
    },
    handler: async ({ params: { id } }) => {
      const isRevoked = await store.revokeKey(id, clock())
      if (!isRevoked)
        throw new RenError('not-found', `no key in use has the id ${JSON.stringify(id)}`)
      await keys.refresh()
      return { id }
    },
  })
}

/** Without an admin key, nobody could make another. */
function requireAdmin(scopes: readonly string[]): void {
  if (scopes.includes('admin')) return
  throw new RenError(
    'invalid-argument',
    'body.scopes: expected admin for the first key, or nobody could make another',
  )
}
