// The `items` part of the service API.

import { describeValue } from '../../core/describe-value.ts'
import { invalid } from '../../core/errors.ts'
import { requirePositiveInteger } from '../../exploration/requirements.ts'
import type { CatalogView } from '../../recommender/index.ts'
import {
  requireKnown,
  requireList,
  requireObject,
  requireVector,
} from '../../recommender/requirements.ts'
import type { Attributes, ItemPut } from '../../storage/index.ts'
import { requireText } from '../../storage/log-event.ts'
import { requireKeys } from '../complete-settings.ts'
import type { ServiceParts } from '../service-api.ts'
import type { ItemsApi } from '../service.ts'
import type { ItemInfo } from '../schemas/items.ts'
import type { LiveState } from '../state/live-state.ts'
import { matchingRows } from './catalog-attributes.ts'
import { compileFilter } from './filter.ts'
import { pageOfNames } from './page-of-names.ts'

type ItemParts = Pick<ServiceParts, 'state' | 'journal' | 'tailer' | 'settings'>

export function createItemsApi(parts: ItemParts): ItemsApi {
  const { state, tailer } = parts
  const { catalog, attributes, groups } = state

  function infoOf(item: string): ItemInfo {
    const row = catalog.row(item)
    const total = (counts: 'impressions' | 'interactions') =>
      groups.reduce((sum, { recommender }) => sum + recommender.state[counts][row]!, 0)
    return {
      item,
      attributes: attributes.of(item),
      impressions: total('impressions'),
      interactions: total('interactions'),
    }
  }

  return {
    ...createItemChanges(parts),
    get(item) {
      tailer.beginRead()
      return catalog.has(item) ? infoOf(item) : null
    },
    list({ filter, ...page }) {
      tailer.beginRead()
      requirePositiveInteger('limit', page.limit)
      const matches = filter === undefined ? () => true : compileFilter(filter)
      const rows = matchingRows(catalog, attributes, matches)
      const all = rows.map((row) => catalog.names[row]!)
      const { names, more } = pageOfNames(all, page)
      return { entries: names.map(infoOf), next: more ? names.at(-1)! : null }
    },
    similar(item, count) {
      tailer.beginRead()
      return groups[0]!.recommender.similarItems(item, count)
    },
    get count() {
      tailer.applyReceived()
      return state.itemCount
    },
  }
}

function createItemChanges({
  state: { catalog, groups },
  journal,
  tailer,
  settings,
}: ItemParts): Pick<ItemsApi, 'put' | 'remove'> {
  return {
    async put(items) {
      tailer.beginRead()
      requirePuts(items, catalog, groups)
      const added = items.filter(({ item }) => !catalog.has(item)).length
      if (items.length === 0) return { position: tailer.position, added }
      // Copies the items, since the caller may change them.
      const own = structuredClone(items)
      const time = settings.clock()
      return { position: await journal.commit({ kind: 'items-put', items: own, time }), added }
    },
    async remove(items) {
      tailer.beginRead()
      requireKnown('items', items, catalog)
      if (items.length === 0) return { position: tailer.position }
      const event = { kind: 'items-removed', items: [...items], time: settings.clock() } as const
      return { position: await journal.commit(event) }
    },
  }
}

function requirePuts(
  items: readonly ItemPut[],
  catalog: CatalogView,
  groups: LiveState['groups'],
): void {
  requireList('items', items)
  const names = new Set<string>()
  for (const [i, put] of items.entries()) {
    const where = `items[${i}]`
    requireObject(where, put)
    requireKeys(where, put, ['item', 'attributes', 'like', 'embedding'])
    const { item, attributes = {}, like, embedding } = put
    requireText(item, `${where}.item`)
    // Clients remove these from a path even if they are escaped, so the item could not be removed.
    if (item === '.' || item === '..') {
      throw invalid(`${where}.item must be a valid URL segment, got ${describeValue(item)}`)
    }
    if (names.has(item)) throw invalid(`${where}.item must be unique, got ${describeValue(item)}`)
    names.add(item)
    requireAttributes(`${where}.attributes`, attributes)
    if (like !== undefined) requireKnown(`${where}.like`, like, catalog)
    if (embedding === undefined) continue
    if (like !== undefined) throw invalid(`${where} must have like or embedding, got both`)
    for (const { recommender } of groups) {
      requireVector(`${where}.embedding`, embedding, recommender.model.dimension)
    }
  }
}

function requireAttributes(where: string, attributes: Attributes): void {
  requireObject(where, attributes)
  for (const [name, value] of Object.entries(attributes)) {
    const isSingle = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
    const isTexts = Array.isArray(value) && value.every((one) => typeof one === 'string')
    if (isSingle || isTexts) continue
    throw invalid(
      `${where}.${name} must be a text, a number, true, false or a list of texts, ` +
        `got ${describeValue(value)}`,
    )
  }
}
