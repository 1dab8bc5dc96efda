// Names of items ↔ rows of the embedding table. A row belongs to one item for ever: a removed item
// keeps its row, since histories point at it, and has it again when it comes back.

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

  /** The name of every row, of removed items too. Old files may name several rows alike. */
  get names(): readonly string[] {
    return this.#names
  }

  /** Rows of removed items. */
  get removed(): ReadonlySet<ItemIndex> {
    return this.#removed
  }

  /** The same rows for whoever needs them all; not to be written to. */
  get removedRows(): Int32Array {
    this.#removedRows ??= Int32Array.from(this.#removed)
    return this.#removedRows
  }

  /** Whether an item of that name can be recommended. */
  has(name: string): boolean {
    const row = this.#rows.get(name)
    return row !== undefined && !this.#removed.has(row)
  }

  /** The row of a name, removed or not, and the last where there are several; undefined if no item ever had it. */
  find(name: string): ItemIndex | undefined {
    return this.#rows.get(name)
  }

  /** The same; a name that no item ever had is an error. */
  row(name: string): ItemIndex {
    const row = this.#rows.get(name)
    if (row !== undefined) return row
    throw new RenError('unknown-item', `no item is called ${describeValue(name)}`)
  }

  /** Names that are not in use, each once; those that were removed have their rows back. */
  add(names: readonly string[]): void {
    for (const name of names) {
      const row = this.#rows.get(name)
      if (row === undefined) this.#rows.set(name, this.#names.push(name) - 1)
      else this.#removed.delete(row)
    }
    this.#removedRows = null
  }

  /** Names that have a row; what is removed already stays so. */
  remove(names: readonly string[]): void {
    for (const name of names) this.#removed.add(this.row(name))
    this.#removedRows = null
  }
}

/**
 * Returns the items of an event that the catalog lacks, each once; the last entry of a name counts.
 * Items without a start come first, in one batch. Each item with a start is a batch of its own,
 * because it may be like others of the same event.
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

/** Whether an item says where its vector starts. */
export const hasStart = ({ like, embedding }: ItemPut): boolean =>
  embedding !== undefined || (like !== undefined && like.length > 0)
