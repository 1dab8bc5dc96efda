// The catalog.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { SimilarItem } from '../../../recommender/index.ts'
import type { Attributes } from '../../../storage/index.ts'
import type { ItemInfo, ItemsApi } from '../../service.ts'
import { requireShallow, limits } from '../limits.ts'
import type { ItemLabel } from '../labels.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import {
  filterSchema,
  pageOf,
  pageQuery,
  answers,
  closed,
  finite,
  flag,
  list,
  name,
  names,
  orNull,
  wholeNumber,
  position,
} from '../schemas/words.ts'
import { checkOf, valid } from '../validator.ts'

const attributes = Type.Record(
  name,
  Type.Union([Type.String(), finite, flag, names(limits.count)], {
    description: 'a text, a number, true, false or a list of texts',
  }),
  { description: 'texts, numbers, true, false or lists of texts by name' },
)

const newItem = {
  attributes: Type.Optional(attributes),
  like: Type.Optional(names(limits.count)),
  embedding: Type.Optional(
    Type.Array(finite, { maxItems: 4096, description: 'a list of at most 4096 numbers' }),
  ),
}

/** An item whose name is in the path. */
export const itemToPut = closed(newItem, 'ItemToPut')

const itemsToPut = closed(
  {
    items: Type.Array(closed({ item: name, ...newItem }, 'NamedItemToPut'), {
      minItems: 1,
      maxItems: limits.items,
      description: `a list of 1 to ${limits.items} items`,
    }),
  },
  'ItemsToPut',
)

const itemInfo = answers<ItemInfo>()(
  closed(
    {
      item: Type.String(),
      attributes: Type.Unsafe<Attributes>(attributes),
      impressions: wholeNumber(0),
      takes: wholeNumber(0),
    },
    'Item',
  ),
)

const labelRequest = closed({ items: names(limits.items) }, 'LabelRequest')

const itemLabels = closed(
  {
    labels: list(
      answers<ItemLabel>()(
        closed(
          { item: Type.String(), title: orNull(Type.String()), image: orNull(Type.String()) },
          'ItemLabel',
        ),
      ),
    ),
  },
  'ItemLabels',
)

export const similarItems = closed(
  {
    items: list(
      answers<SimilarItem>()(
        closed(
          {
            item: Type.String(),
            similarity: finite,
            /** They add up to the similarity. */
            parts: closed({ model: finite, memory: finite }),
          },
          'SimilarItem',
        ),
      ),
    ),
  },
  'SimilarItems',
)

const named = closed({ item: name })
const put = closed({ position, added: wholeNumber(0) }, 'Put')
const checkFilter = checkOf(filterSchema, 'query.filter')

export function itemRoutes(app: App, { service: { items }, labels }: Parts): void {
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
      querystring: closed({ count: Type.Optional(wholeNumber(1, limits.count)) }),
      response: { 200: similarItems, ...failures },
    },
    handler: async ({ params: { item }, query: { count = 10 } }) => ({
      items: [...items.similar(item, count)],
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
    schema: { params: named, response: { 200: closed({ position }, 'Done'), ...failures } },
    handler: ({ params: { item } }) => items.remove([item]),
  })
}

function listItems(app: App, items: ItemsApi): void {
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
