// The routes of API keys.

import { Type, type Static } from 'typebox'

import { invalid, RenError } from '../../../core/errors.ts'
import type { EventStore } from '../../../storage/index.ts'
import { makeKey, type KeyRing } from '../key-ring.ts'
import { addRoute } from '../operations.ts'
import type { App } from '../server.ts'
import * as t from '../../schemas/builders.ts'

const idField = t.field('The public id, which is part of the key.', t.name)
const given = {
  name: t.field('A name by which you recognize the key.', t.name),
  scopes: t.field(
    'What the key allows; admin allows everything.',
    Type.Array(t.oneOf('recommend', 'events', 'admin'), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      expected: 'an array of recommend, events or admin, each at most once',
    }),
  ),
}
const fields = {
  id: idField,
  ...given,
  created: t.moment('When it was created, in milliseconds since 1970.'),
}

const keyToMake = t.named('KeyToMake', given)

export const keyEntry = t.named('Key', {
  ...fields,
  revoked: t.field(
    'When it was revoked, in milliseconds since 1970; null while it is valid.',
    t.orNull(t.finite),
  ),
})

const newKey = t.named('NewKey', {
  ...fields,
  key: t.string('The key with its secret. No later response contains it.'),
})

/** An API key as the HTTP API lists it, without the secret. */
export type KeyEntry = Static<typeof keyEntry>

export function keyRoutes(app: App, store: EventStore, keys: KeyRing, clock: () => number): void {
  const allKeys = t.named('Keys', {
    keys: t.field('All keys, also revoked ones.', t.list(keyEntry)),
  })
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

  const params = t.closed({ id: idField })
  const answer = t.named('Revoked', { id: idField })
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
  throw invalid('scopes must contain admin: only an admin key can create other keys', 'scopes')
}
