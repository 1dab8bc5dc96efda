// The catalog in two dimensions.

import { Type } from 'typebox'

import type { Service } from '../../service.ts'
import { itemMap } from '../../schemas/items.ts'
import { limits } from '../../limits.ts'
import { at } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/words.ts'

export function mapRoutes(app: App, service: Pick<Service, 'itemMap'>): void {
  app.route({
    ...at('map'),
    schema: {
      querystring: t.closed({
        group: Type.Optional(t.name),
        limit: Type.Optional(t.wholeNumber(1, limits.map)),
        attribute: Type.Optional(t.name),
        user: Type.Optional(t.name),
      }),
      response: { 200: itemMap, ...failures },
    },
    handler: async ({ query: { limit = limits.map, ...rest } }) =>
      service.itemMap({ limit, ...rest }),
  })
}
