// The routes of items and of the item map.

import { Type } from 'typebox'

import { errorAt, invalid, RenError } from '../../../core/errors.ts'
import { itemInfo, itemLabel, itemMap, itemOfPath, itemToPut } from '../../schemas/items.ts'
import type { ItemPut } from '../../../storage/index.ts'
import type { ItemsApi, Service } from '../../service.ts'
import { requireShallow, limits } from '../../limits.ts'
import type { Labels } from '../labels.ts'
import { addRoute } from '../operations.ts'
import type { App } from '../server.ts'
import * as t from '../../schemas/builders.ts'
import { checkOf, valid } from '../../validator.ts'

const name = t.field('The name of the item.', t.name)
const itemsToPut = t.batchOf('items', itemToPut, limits.items, 'ItemsToPut', '')

const labelRequest = t.named('LabelRequest', {
  items: t.field('The names of the items.', t.names(limits.items)),
})

const itemLabels = t.named('ItemLabels', {
  labels: t.field('A label per item, in the same order.', t.list(itemLabel)),
})

export const similarItems = t.named('SimilarItems', {
  items: t.field(
    'The similar items, the most similar first.',
    t.list(
      t.named('SimilarItem', {
        item: name,
        similarity: t.number('From −1 to 1: the sum of its parts.'),
        parts: t.field(
          'The parts of the similarity.',
          t.closed({
            model: t.number('The weighted cosine of the embeddings.'),
            memory: t.number('The weighted transitions between the items.'),
          }),
        ),
      }),
    ),
  ),
})

const named = t.closed({ item: name })
const put = t.named('Put', {
  position: t.field('The log position of the change.', t.position),
  added: t.count('The number of items that are new in the catalog.'),
})
const checkFilter = checkOf(t.filterSchema, 'filter')

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

  const querystring = t.closed({
    count: t.optional('The number of items. Defaults to 10.', t.wholeNumber(1, limits.count)),
  })
  addRoute(
    app,
    'similar',
    { params: named, querystring, answer: similarItems },
    ({ params: { item }, query: { count = 10 } }) => ({ items: items.similar(item, count) }),
  )
}

function changeItems(app: App, items: ItemsApi): void {
  // The service checks the items.
  addRoute(app, 'putItem', { params: named, body: itemOfPath, answer: put }, ({ params, body }) =>
    items.put([{ ...body, ...params }]).catch((error: unknown) => {
      if (!(error instanceof RenError)) throw error
      throw errorAt('', error, error.path?.slice('items[0].'.length))
    }),
  )
  addRoute(app, 'putItems', { body: itemsToPut, answer: put }, ({ body }) =>
    items.put(body.items as readonly ItemPut[]),
  )
  addRoute(app, 'removeItem', { params: named, answer: t.done }, ({ params: { item } }) =>
    items.remove([item]),
  )
}

const itemQuery = t.closed({
  ...t.pageQuery,
  filter: t.optional(
    'Lists only items that match this filter, as JSON.',
    Type.String({ contentMediaType: 'application/json', expected: 'a filter as JSON' }),
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
  requireShallow(value, 'filter')
  return valid(checkFilter(value))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('filter must be JSON', 'filter')
  }
}

const mapQuery = t.closed({
  group: t.optional('The model group. Defaults to the first.', t.name),
  limit: t.optional(
    'The maximum number of items. A larger catalog is sampled evenly. Defaults to 50,000.',
    t.wholeNumber(1, limits.map),
  ),
  attribute: t.optional('The attribute that `category` shows.', t.name),
  user: t.optional('A user to add to the map.', t.name),
})

export function mapRoutes(app: App, service: Pick<Service, 'itemMap'>): void {
  addRoute(app, 'map', { querystring: mapQuery, answer: itemMap }, ({ query }) =>
    service.itemMap({ limit: limits.map, ...query }),
  )
}
