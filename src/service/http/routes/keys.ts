// API keys.

import { RenError } from '../../../core/errors.ts'
import { makeKey } from '../keys.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { keyEntry, keyToMake, newKey } from '../schemas/key.ts'
import { closed, list, name as text } from '../schemas/words.ts'

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
      if (!keys.locked && !scopes.includes('admin')) {
        throw new RenError(
          'invalid-argument',
          'body.scopes: expected admin for the first key, or nobody could make another',
        )
      }
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
