// The catalog.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import { requireShallow } from '../depth.ts'
import { limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { filterSchema } from '../schemas/filter.ts'
import {
  itemInfo,
  itemLabels,
  itemToPut,
  itemsToPut,
  labelRequest,
  similarItems,
} from '../schemas/item.ts'
import { pageOf, pageQuery } from '../schemas/page.ts'
import { closed, name, position, wholeNumber } from '../schemas/words.ts'
import { checkOf, valid } from '../validator.ts'

const named = closed({ item: name })
const put = closed({ position, added: wholeNumber(0) }, 'Put')
const checkFilter = checkOf(filterSchema, 'query.filter')

export function itemRoutes(app: App, { service: { items }, labels }: Parts): void {
  app.route({
    ...at('putItem'),
    schema: { params: named, body: itemToPut, response: { 200: put, ...failures } },
    handler: ({ params, body }) => items.put([{ ...body, ...params }]),
  })

  app.route({
    ...at('putItems'),
    schema: { body: itemsToPut, response: { 200: put, ...failures } },
    handler: ({ body }) => items.put(body.items),
  })

  app.route({
    ...at('items'),
    schema: {
      querystring: closed({
        ...pageQuery,
        filter: Type.Optional(
          Type.String({ contentMediaType: 'application/json', description: 'a filter as JSON' }),
        ),
      }),
      response: { 200: pageOf(itemInfo, 'ItemPage'), ...failures },
    },
    handler: async ({ query: { filter, limit = 100, ...page } }) =>
      items.list({
        ...page,
        limit,
        ...(filter === undefined ? {} : { filter: readFilter(filter) }),
      }),
  })

  app.route({
    ...at('labels'),
    schema: { body: labelRequest, response: { 200: itemLabels, ...failures } },
    handler: async ({ body }) => ({
      labels: body.items.map((item) => labels(item, items.get(item)?.attributes ?? {})),
    }),
  })

  app.route({
    ...at('item'),
    schema: { params: named, response: { 200: itemInfo, ...failures } },
    handler: async ({ params: { item } }) => {
      const found = items.get(item)
      if (found) return found
      throw new RenError('unknown-item', `there is no item ${JSON.stringify(item)}`)
    },
  })

  app.route({
    ...at('removeItem'),
    schema: { params: named, response: { 200: closed({ position }, 'Done'), ...failures } },
    handler: ({ params: { item } }) => items.remove([item]),
  })

  app.route({
    ...at('similar'),
    schema: {
      params: named,
      querystring: closed({ count: Type.Optional(wholeNumber(1, limits.count)) }),
      response: { 200: similarItems, ...failures },
    },
    handler: async ({ params: { item }, query: { count = 10 } }) => ({
      items: [...items.similar(item, count)],
    }),
  })
}

function readFilter(text: string) {
  const value = parse(text)
  requireShallow(value, 'query.filter')
  return valid(checkFilter(value))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RenError('invalid-argument', 'query.filter: expected JSON, got something else')
  }
}
