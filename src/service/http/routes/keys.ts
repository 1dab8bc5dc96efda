// The routes of API keys.

import { Type, type Static } from 'typebox'

import { invalid, RenError } from '../../../core/errors.ts'
import type { EventStore } from '../../../storage/index.ts'
import { makeKey, type KeyRing } from '../key-ring.ts'
import { addRoute } from '../operations.ts'
import type { App } from '../guard.ts'
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
  key: Type.String({ description: 'the key with its secret, which is shown only once' }),
})

/** An API key as the HTTP API lists it, without the secret. */
export type KeyEntry = Static<typeof keyEntry>

export function keyRoutes(app: App, store: EventStore, keys: KeyRing, clock: () => number): void {
  const allKeys = t.named('Keys', { keys: t.list(keyEntry) })
  addRoute(app, 'keys', { answer: allKeys }, async () => ({
    keys: (await store.keys()).map(({ id, name, scopes, created, revoked }) => {
      return { id, name, scopes: [...scopes], created, revoked }
    }),
  }))

  addRoute(app, 'makeKey', { body: keyToMake, answer: newKey, status: 201 }, async ({ body }) => {
    const { name, scopes } = body
    if (!keys.locked) requireAdmin(scopes)
    const { key, stored } = makeKey({ name, scopes, time: clock() })
    await store.addKey(stored)
    await keys.refresh()
    const { id, created } = stored
    return { id, name, scopes, created, key }
  })

  const params = t.closed({ id: t.name })
  const answer = t.named('Revoked', { id: t.name })
  addRoute(app, 'revokeKey', { params, answer }, async ({ params: { id } }) => {
    const isRevoked = await store.revokeKey(id, clock())
    if (!isRevoked) throw new RenError('not-found', `there is no valid key ${JSON.stringify(id)}`)
    await keys.refresh()
    return { id }
  })
}

/** Without an admin key, no further keys could be created. */
function requireAdmin(scopes: readonly string[]): void {
  if (scopes.includes('admin')) return
  throw invalid('body.scopes: the first key must have the scope admin, to create other keys')
}
