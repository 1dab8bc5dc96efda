// The route of the item map.

import { Type } from 'typebox'

import type { Service } from '../../service.ts'
import { itemMap } from '../../schemas/items.ts'
import { limits } from '../../limits.ts'
import { addRoute } from '../operations.ts'
import type { App } from '../guard.ts'
import * as t from '../../schemas/words.ts'

const querystring = t.closed({
  group: Type.Optional(t.name),
  limit: Type.Optional(t.wholeNumber(1, limits.map)),
  attribute: Type.Optional(t.name),
  user: Type.Optional(t.name),
})

export function mapRoutes(app: App, service: Pick<Service, 'itemMap'>): void {
  addRoute(app, 'map', { querystring, answer: itemMap }, ({ query }) =>
    service.itemMap({ limit: limits.map, ...query }),
  )
}
