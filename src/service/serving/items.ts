// The `items` part of the service API.

import { describeValue } from '../../core/describe-value.ts'
import { invalidAt, within } from '../../core/errors.ts'
import { requirePositiveInteger } from '../../exploration/requirements.ts'
import type { CatalogView } from '../../recommender/index.ts'
import { requireKnown, requireList, requireVector } from '../../recommender/requirements.ts'
import type { ItemPut } from '../../storage/index.ts'
import type { ServiceParts } from '../service-api.ts'
import type { ItemsApi } from '../service.ts'
import { itemToPut, type ItemInfo } from '../schemas/items.ts'
import type { LiveState } from '../state/live-state.ts'
import { checkOf, valid } from '../validator.ts'
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
  const put: ItemsApi['put'] = async (items) => {
    tailer.beginRead()
    requirePuts(items, catalog, groups)
    const added = items.filter(({ item }) => !catalog.has(item)).length
    if (items.length === 0) return { position: tailer.position, added }
    // Copies the items, since the caller may change them.
    const own = structuredClone(items)
    const time = settings.clock()
    return { position: await journal.commit({ kind: 'items-put', items: own, time }), added }
  }
  const remove: ItemsApi['remove'] = async (items) => {
    tailer.beginRead()
    requireKnown('items', items, catalog)
    if (items.length === 0) return { position: tailer.position }
    const event = { kind: 'items-removed', items: [...items], time: settings.clock() } as const
    return { position: await journal.commit(event) }
  }
  return {
    put: (items) => tailer.withNewItems(() => put(items)),
    remove: (items) => tailer.withNewItems(() => remove(items)),
  }
}

const checkItem = checkOf(itemToPut, 'item')

function requirePuts(
  items: readonly ItemPut[],
  catalog: CatalogView,
  groups: LiveState['groups'],
): void {
  requireList('items', items)
  const names = new Set<string>()
  for (const [i, put] of items.entries()) {
    within(`items[${i}]`, () => {
      const { item } = valid(checkItem(put))
      if (names.has(item)) throw invalidAt('item', `must be unique, got ${describeValue(item)}`)
      names.add(item)
      requirePut(put, catalog, groups)
    })
  }
}

/** Checks what the schema does not cover. */
function requirePut(
  { item, like, embedding }: ItemPut,
  catalog: CatalogView,
  groups: LiveState['groups'],
): void {
  // Clients remove these from a path even if they are escaped, so the item could not be removed.
  if (item === '.' || item === '..') {
    throw invalidAt('item', `must be a valid URL segment, got ${describeValue(item)}`)
  }
  if (like !== undefined) requireKnown('like', like, catalog)
  if (embedding === undefined) return
  if (like !== undefined) throw invalidAt('like', 'must be absent with an embedding')
  for (const { recommender } of groups) {
    requireVector('embedding', embedding, recommender.model.dimension)
  }
}
