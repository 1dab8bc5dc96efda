// The routes of items and of the item map.

import { Type } from 'typebox'

import { invalid, RenError } from '../../../core/errors.ts'
import { attributes, itemInfo, itemLabel, itemMap } from '../../schemas/items.ts'
import type { ItemsApi, Service } from '../../service.ts'
import { requireShallow, limits } from '../../limits.ts'
import type { Labels } from '../labels.ts'
import { addRoute } from '../operations.ts'
import type { App } from '../guard.ts'
import * as t from '../../schemas/words.ts'
import { checkOf, valid } from '../../validator.ts'

const newItem = {
  attributes: Type.Optional(attributes),
  like: Type.Optional(t.names(limits.count)),
  embedding: Type.Optional(
    Type.Array(t.finite, { maxItems: 4096, description: 'a list of at most 4096 numbers' }),
  ),
}

/** The body of a request with the item's name in the path. */
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
  labels: t.list(itemLabel),
})

export const similarItems = t.named('SimilarItems', {
  items: t.list(
    t.named('SimilarItem', {
      item: Type.String(),
      similarity: t.finite,
      /** The parts add up to the similarity. */
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

  addRoute(app, 'labels', { body: labelRequest, answer: itemLabels }, ({ body }) => ({
    labels: body.items.map((item) => labels(item, items.get(item)?.attributes ?? {})),
  }))

  addRoute(app, 'item', { params: named, answer: itemInfo }, ({ params: { item } }) => {
    const found = items.get(item)
    if (found) return found
    throw new RenError('unknown-item', `there is no item ${JSON.stringify(item)}`)
  })

  const querystring = t.closed({ count: Type.Optional(t.wholeNumber(1, limits.count)) })
  addRoute(
    app,
    'similar',
    { params: named, querystring, answer: similarItems },
    ({ params: { item }, query: { count = 10 } }) => ({ items: items.similar(item, count) }),
  )
}

function changeItems(app: App, items: ItemsApi): void {
  addRoute(app, 'putItem', { params: named, body: itemToPut, answer: put }, ({ params, body }) =>
    items.put([{ ...body, ...params }]),
  )
  addRoute(app, 'putItems', { body: itemsToPut, answer: put }, ({ body }) => items.put(body.items))
  const answer = t.named('Done', { position: t.position })
  addRoute(app, 'removeItem', { params: named, answer }, ({ params: { item } }) =>
    items.remove([item]),
  )
}

const itemQuery = t.closed({
  ...t.pageQuery,
  filter: Type.Optional(
    Type.String({ contentMediaType: 'application/json', description: 'a filter as JSON' }),
  ),
})

function listItems(app: App, items: ItemsApi): void {
  const answer = t.pageOf(itemInfo, 'ItemPage')
  addRoute(app, 'items', { querystring: itemQuery, answer }, ({ query }) => {
    const { filter, limit = 100, ...page } = query
    const given = filter === undefined ? {} : { filter: readFilter(filter) }
    return items.list({ ...page, limit, ...given })
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
    throw invalid('query.filter: expected JSON')
  }
}

const mapQuery = t.closed({
  group: Type.Optional(t.name),
  limit: Type.Optional(t.wholeNumber(1, limits.map)),
  attribute: Type.Optional(t.name),
  user: Type.Optional(t.name),
})

export function mapRoutes(app: App, service: Pick<Service, 'itemMap'>): void {
  addRoute(app, 'map', { querystring: mapQuery, answer: itemMap }, ({ query }) =>
    service.itemMap({ limit: limits.map, ...query }),
  )
}
