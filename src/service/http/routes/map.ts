// The catalog in two dimensions.

import { Type } from 'typebox'

import type { ItemMap } from '../../serving/item-map.ts'
import { limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import {
  answers,
  closed,
  finite,
  list,
  oneOf,
  orNull,
  wholeNumber,
  name,
} from '../schemas/words.ts'

const text = Type.String()

export const itemMap = answers<ItemMap>()(
  closed(
    {
      group: text,
      modelVersion: wholeNumber(0),
      basis: oneOf('model', 'memory'),
      count: wholeNumber(0),
      items: list(text),
      x: list(finite),
      y: list(finite),
      impressions: list(wholeNumber(0)),
      uncertainty: list(finite),
      category: orNull(list(orNull(text))),
      variance: Type.Unsafe<readonly [number, number]>({
        ...list(finite),
        description: 'the shares of x and y',
      }),
      user: orNull(closed({ x: finite, y: finite })),
    },
    'ItemMap',
  ),
)

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
