// The catalog in two dimensions.

import { Type } from 'typebox'

import { limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { itemMap } from '../schemas/map.ts'
import { closed, name, wholeNumber } from '../schemas/words.ts'

export function mapRoutes(app: App, { service }: Parts): void {
  app.route({
    ...at('map'),
    schema: {
      querystring: closed({
        group: Type.Optional(name),
        limit: Type.Optional(wholeNumber(1, limits.map)),
        attribute: Type.Optional(name),
        user: Type.Optional(name),
      }),
      response: { 200: itemMap, ...failures },
    },
    handler: async ({ query: { limit = limits.map, ...rest } }) =>
      service.itemMap({ limit, ...rest }),
  })
}
