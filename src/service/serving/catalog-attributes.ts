// The attributes of all items, in memory, for filters.

import type { ItemIndex } from '../../core/types.ts'
import type { CatalogView } from '../../recommender/index.ts'
import type {
  Attributes,
  EventStore,
  ItemsPage,
  ItemsPutEvent,
  ItemsRemovedEvent,
  StoredItem,
} from '../../storage/index.ts'

const none: Attributes = Object.freeze({})

export class CatalogAttributes {
  /** Contains only items with attributes: catalogs are large, and many have none. */
  readonly #known: Map<string, Attributes>
  /** Increases with every change. */
  version = 0

  /** @param known The attributes at the head of the log. Applying earlier events again is harmless. */
  constructor(known: Iterable<readonly [item: string, attributes: Attributes]>) {
    this.#known = new Map(known)
  }

  /** Empty if the item has no attributes. */
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

/** Rows of items that match and are not removed, in ascending order. */
export function* matchingRows(
  { names, removed }: CatalogView,
  attributes: CatalogAttributes,
  matches: (attributes: Attributes) => boolean,
): Generator<ItemIndex> {
  for (let row = 0; row < names.length; row++) {
    if (!removed.has(row) && matches(attributes.of(names[row]!))) yield row
  }
}

/** Items per query. */
const pageSize = 5000

/**
 * Reads the attributes of all items by name, at the head of the log.
 *
 * @param isIncluded Selects items. Defaults to all.
 */
export async function readCatalog(
  store: EventStore,
  isIncluded: (attributes: Attributes) => boolean = () => true,
  onDamaged?: ItemsPage['onDamaged'],
): Promise<Map<string, Attributes>> {
  const catalog = new Map<string, Attributes>()
  for await (const page of pagesOfItems(store, onDamaged)) {
    for (const { item, attributes } of page) {
      if (isIncluded(attributes)) catalog.set(item, attributes)
    }
  }
  return catalog
}

/** Reads the attributes of the items that have any. */
export const readAttributes = (
  store: EventStore,
  onDamaged?: ItemsPage['onDamaged'],
): Promise<Map<string, Attributes>> =>
  readCatalog(store, (attributes) => Object.keys(attributes).length > 0, onDamaged)

/** Sorted by name. */
export async function* pagesOfItems(
  store: EventStore,
  onDamaged?: ItemsPage['onDamaged'],
): AsyncGenerator<readonly StoredItem[]> {
  for (let after: string | undefined; ;) {
    const page = await store.items({
      limit: pageSize,
      ...(after !== undefined && { after }),
      ...(onDamaged && { onDamaged }),
    })
    yield page
    if (page.length < pageSize) return
    after = page.at(-1)!.item
  }
}
