// Maps item names to rows of the embedding table. A row belongs to one item forever: histories
// refer to it, so a removed item retains its row and uses it again when it returns.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { ItemPut } from '../core/events.ts'
import type { ItemIndex } from '../core/types.ts'

/** The catalog of a recommender: item names and their rows in the model. */
export type CatalogView = Omit<Catalog, 'add' | 'remove'>

export class Catalog {
  readonly #names: string[]
  readonly #removed: Set<ItemIndex>
  readonly #rows: Map<string, ItemIndex>
  #removedRows: Int32Array | null = null

  constructor(itemNames: readonly string[], removedRows: Iterable<ItemIndex> = []) {
    this.#names = [...itemNames]
    this.#removed = new Set(removedRows)
    this.#rows = new Map(itemNames.map((name, row) => [name, row]))
  }

  /** The name of every row, including removed items. In old files several rows may share a name. */
  get names(): readonly string[] {
    return this.#names
  }

  /** Rows of removed items. */
  get removed(): ReadonlySet<ItemIndex> {
    return this.#removed
  }

  /** The rows of removed items as an array. Read-only. */
  get removedRows(): Int32Array {
    this.#removedRows ??= Int32Array.from(this.#removed)
    return this.#removedRows
  }

  /** Whether the catalog has an item of that name that is not removed. */
  has(name: string): boolean {
    const row = this.#rows.get(name)
    return row !== undefined && !this.#removed.has(row)
  }

  /** Returns the row of a name, removed or not (the last of several), or undefined. */
  find(name: string): ItemIndex | undefined {
    return this.#rows.get(name)
  }

  /** Like `find`, but throws for an unknown name. */
  row(name: string): ItemIndex {
    const row = this.#rows.get(name)
    if (row !== undefined) return row
    throw new RenError('unknown-item', `no item is called ${describeValue(name)}`)
  }

  /** Adds items. The names must be distinct and not in use. Removed items get their rows back. */
  add(names: readonly string[]): void {
    for (const name of names) {
      const row = this.#rows.get(name)
      if (row === undefined) this.#rows.set(name, this.#names.push(name) - 1)
      else this.#removed.delete(row)
    }
    this.#removedRows = null
  }

  /** Removes items. Names that are already removed are ignored. */
  remove(names: readonly string[]): void {
    for (const name of names) this.#removed.add(this.row(name))
    this.#removedRows = null
  }
}

/**
 * Returns the items of an event that the catalog lacks, each once; the last entry of a name counts.
 * Items without a start come first, in one batch. Each item with a start is a separate batch,
 * because its `like` may name other items of the event.
 */
export function newItemBatches(
  items: readonly ItemPut[],
  catalog: CatalogView,
): readonly (readonly ItemPut[])[] {
  const absent = new Map<string, ItemPut>()
  for (const put of items) if (!catalog.has(put.item)) absent.set(put.item, put)
  const puts = [...absent.values()]
  const plain = puts.filter((put) => !hasStart(put))
  const started = puts.filter(hasStart).map((put) => [put])
  return plain.length > 0 ? [plain, ...started] : started
}

/** Whether an item has `like` or `embedding`. */
export const hasStart = ({ like, embedding }: ItemPut): boolean =>
  embedding !== undefined || (like !== undefined && like.length > 0)
