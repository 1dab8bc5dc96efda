// The catalog.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { SimilarItem } from '../../../recommender/index.ts'
import { attributes, itemInfo } from '../../schemas/items.ts'
import type { ItemsApi } from '../../service.ts'
import { requireShallow, limits } from '../../limits.ts'
import type { ItemLabel, Labels } from '../labels.ts'
import { at } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/words.ts'
import { checkOf, valid } from '../../validator.ts'

const newItem = {
  attributes: Type.Optional(attributes),
  like: Type.Optional(t.names(limits.count)),
  embedding: Type.Optional(
    Type.Array(t.finite, { maxItems: 4096, description: 'a list of at most 4096 numbers' }),
  ),
}

/** An item whose name is in the path. */
export const itemToPut = t.named('ItemToPut', newItem)

const itemsToPut = t.named('ItemsToPut', {
  items: Type.Array(t.named('NamedItemToPut', { item: t.name, ...newItem }), {
    minItems: 1,
    maxItems: limits.items,
    description: `a list of 1 to ${limits.items} items`,
  }),
})

const labelRequest = t.named('LabelRequest', { items: t.names(limits.items) })

const itemLabels = t.named('ItemLabels', {
  labels: t.list(
    t.answers<ItemLabel>()('ItemLabel', {
      item: Type.String(),
      title: t.orNull(Type.String()),
      image: t.orNull(Type.String()),
    }),
  ),
})

export const similarItems = t.named('SimilarItems', {
  items: t.list(
    t.answers<SimilarItem>()('SimilarItem', {
      item: Type.String(),
      similarity: t.finite,
      /** They add up to the similarity. */
      parts: t.closed({ model: t.finite, memory: t.finite }),
    }),
  ),
})

const named = t.closed({ item: t.name })
const put = t.named('Put', { position: t.position, added: t.wholeNumber(0) })
const checkFilter = checkOf(t.filterSchema, 'query.filter')

export function itemRoutes(app: App, items: ItemsApi, labels: Labels): void {
  changeItems(app, items)
  listItems(app, items)

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
    ...at('similar'),
    schema: {
      params: named,
      querystring: t.closed({ count: Type.Optional(t.wholeNumber(1, limits.count)) }),
      response: { 200: similarItems, ...failures },
    },
    handler: async ({ params: { item }, query: { count = 10 } }) => ({
      items: items.similar(item, count),
    }),
  })
}

function changeItems(app: App, items: ItemsApi): void {
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
    ...at('removeItem'),
    schema: {
      params: named,
      response: { 200: t.named('Done', { position: t.position }), ...failures },
    },
    handler: ({ params: { item } }) => items.remove([item]),
  })
}

function listItems(app: App, items: ItemsApi): void {
  app.route({
    ...at('items'),
    schema: {
      querystring: t.closed({
        ...t.pageQuery,
        filter: Type.Optional(
          Type.String({ contentMediaType: 'application/json', description: 'a filter as JSON' }),
        ),
      }),
      response: { 200: t.pageOf(itemInfo, 'ItemPage'), ...failures },
    },
    handler: async ({ query: { filter, limit = 100, ...page } }) =>
      items.list({
        ...page,
        limit,
        ...(filter === undefined ? {} : { filter: readFilter(filter) }),
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
