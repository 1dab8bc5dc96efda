// Names of items ↔ rows of the embedding table. A row belongs to one item for ever: a removed item
// keeps its row, since histories point at it, and has it again when it comes back.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'

/** The catalog of a recommender: item names and their rows in the model. */
export interface CatalogView {
  /** The name of every row, of removed items too. Old files may name several rows alike. */
  readonly names: readonly string[]
  /** Rows of removed items. */
  readonly removed: ReadonlySet<ItemIndex>
  /** The same rows for whoever needs them all; not to be written to. */
  readonly removedRows: Int32Array
  /** Whether an item of that name can be recommended. */
  has(name: string): boolean
  /** The row of a name, be it removed or not; the last where there are several. */
  row(name: string): ItemIndex
  /** The same, undefined where no item ever had the name. */
  find(name: string): ItemIndex | undefined
}

export interface Catalog extends CatalogView {
  /** Names that are not in use, each once; those that were removed have their rows back. */
  add(names: readonly string[]): void
  /** Names that have a row; what is removed already stays so. */
  remove(names: readonly string[]): void
}

export function createCatalog(
  itemNames: readonly string[],
  removedRows: Iterable<ItemIndex> = [],
): Catalog {
  const names = [...itemNames]
  const removed = new Set(removedRows)
  let removedList: Int32Array | null = null
  const rows = new Map<string, ItemIndex>()
  for (const [row, name] of names.entries()) rows.set(name, row)

  const catalog: Catalog = {
    names,
    removed,
    get removedRows() {
      removedList ??= Int32Array.from(removed)
      return removedList
    },
    has(name) {
      const row = rows.get(name)
      return row !== undefined && !removed.has(row)
    },
    find: (name) => rows.get(name),
    row(name) {
      const row = rows.get(name)
      if (row !== undefined) return row
      throw new RenError('unknown-item', `no item is called ${describeValue(name)}`)
    },
    add(more) {
      for (const name of more) {
        const row = rows.get(name)
        if (row === undefined) rows.set(name, names.push(name) - 1)
        else removed.delete(row)
      }
      removedList = null
    },
    remove(some) {
      for (const name of some) removed.add(catalog.row(name))
      removedList = null
    },
  }
  return catalog
}
