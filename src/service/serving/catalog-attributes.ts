// The attributes of the items that can be recommended, in memory: what filters look at.

import type { ItemIndex } from '../../core/types.ts'
import type { CatalogView } from '../../recommender/index.ts'
import type {
  Attributes,
  EventStore,
  ItemsPutEvent,
  ItemsRemovedEvent,
  StoredItem,
} from '../../storage/index.ts'

const none: Attributes = Object.freeze({})

export class CatalogAttributes {
  /** Of items that have any: most catalogs are large, and many have none. */
  readonly #known: Map<string, Attributes>
  /** Another number whenever something has changed. */
  version = 0

  /** @param known What a store has at the head; events that led there may follow all the same. */
  constructor(known: Iterable<readonly [item: string, attributes: Attributes]>) {
    this.#known = new Map(known)
  }

  /** Empty where it has none. */
  of(item: string): Attributes {
    return this.#known.get(item) ?? none
  }

  apply(event: ItemsPutEvent | ItemsRemovedEvent): void {
    this.version += 1
    if (event.kind === 'items-removed')
      return event.items.forEach((item) => this.#known.delete(item))
    for (const { item, attributes = none } of event.items) {
      if (Object.keys(attributes).length > 0) this.#known.set(item, attributes)
      else this.#known.delete(item)
    }
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
