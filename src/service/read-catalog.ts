// A store's catalog as a whole.

import type { Attributes, EventStore, StoredItem } from '../storage/index.ts'

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
