// API keys.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { EventStore } from '../../../storage/index.ts'
import { makeKey } from '../key-ring.ts'
import type { KeyRing } from '../key-ring.ts'
import { addRead, at } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/words.ts'

const someScopes = Type.Array(t.oneOf('recommend', 'events', 'admin'), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'a list of recommend, events or admin, each at most once',
})

const keyToMake = t.named('KeyToMake', { name: t.name, scopes: someScopes })

const fields = { id: Type.String(), name: Type.String(), scopes: someScopes, created: t.time }

const keyEntry = t.named('Key', { ...fields, revoked: t.orNull(t.time) })

const newKey = t.named('NewKey', {
  ...fields,
  key: Type.String({ description: 'the key with its secret, shown this once' }),
})

/** An API key as the HTTP API lists it, without the secret. */
export type KeyEntry = Static<typeof keyEntry>

export function keyRoutes(app: App, store: EventStore, keys: KeyRing, clock: () => number): void {
  addRead(app, 'keys', t.named('Keys', { keys: t.list(keyEntry) }), async () => ({
    keys: (await store.keys()).map(({ id, name, scopes, created, revoked }) => {
      return { id, name, scopes: [...scopes], created, revoked }
    }),
  }))

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
      params: t.closed({ id: t.name }),
      response: { 200: t.named('Revoked', { id: t.name }), ...failures },
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
