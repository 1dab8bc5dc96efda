// The attributes of the items that can be recommended, in memory: what filters look at.

import type { ItemIndex } from '../../core/types.ts'
import type { CatalogView } from '../../recommender/index.ts'
import type { Attributes, LogEvent, EventStore, StoredItem } from '../../storage/index.ts'

export interface CatalogAttributes {
  /** Empty where it has none. */
  of(item: string): Attributes
  /** Another number whenever something has changed. */
  readonly version: number
  /** Takes in an event of the log. */
  apply(event: LogEvent): void
}

const none: Attributes = Object.freeze({})

/** Goes on from what a store has at the head; events that led there may follow all the same. */
export function createCatalogAttributes(
  items: Iterable<readonly [item: string, attributes: Attributes]>,
): CatalogAttributes {
  /** Of items that have any: most catalogs are large, and many have none. */
  const known = new Map<string, Attributes>()
  let version = 0
  const set = (item: string, attributes: Attributes): void => {
    if (Object.keys(attributes).length > 0) known.set(item, attributes)
    else known.delete(item)
  }
  for (const [item, attributes] of items) set(item, attributes)
  return {
    of: (item) => known.get(item) ?? none,
    get version() {
      return version
    },
    apply(event) {
      if (event.kind === 'items-put') {
        for (const { item, attributes = none } of event.items) set(item, attributes)
      } else if (event.kind === 'items-removed') {
        for (const item of event.items) known.delete(item)
      } else return
      version += 1
    },
  }
}

/** Rows of items that can be recommended and whose attributes match, in rising order. */
export function* matchingRows(
  { names, removed }: CatalogView,
  attributes: CatalogAttributes,
  matches: (attributes: Attributes) => boolean,
): Generator<ItemIndex> {
  for (let row = 0; row < names.length; row++) {
    if (!removed.has(row) && matches(attributes.of(names[row]!))) yield row
  }
}

/** Items of one question. */
const pageSize = 5000

/** The attributes of every item by its name, at the head of the log. */
export async function readCatalog(store: EventStore): Promise<Map<string, Attributes>> {
  const catalog = new Map<string, Attributes>()
  for await (const page of pagesOfItems(store)) {
    for (const { item, attributes } of page) catalog.set(item, attributes)
  }
  return catalog
}

/** The attributes of those items alone that have any. */
export async function readAttributes(store: EventStore): Promise<Map<string, Attributes>> {
  const known = new Map<string, Attributes>()
  for await (const page of pagesOfItems(store)) {
    for (const { item, attributes } of page) {
      if (Object.keys(attributes).length > 0) known.set(item, attributes)
    }
  }
  return known
}

/** In order of names, page by page. */
export async function* pagesOfItems(store: EventStore): AsyncGenerator<readonly StoredItem[]> {
  for (let after: string | undefined; ;) {
    const page = await store.items({ limit: pageSize, ...(after !== undefined && { after }) })
    yield page
    if (page.length < pageSize) return
    after = page.at(-1)!.item
  }
}
