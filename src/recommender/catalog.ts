// Maps item names to rows of the embedding table. A row belongs to one item forever: histories
// refer to it, so a removed item retains its row and uses it again when it returns.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { ItemPut } from '../core/events.ts'
import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { normal, zeros } from '../models/parameter.ts'
import { tablesOf } from '../models/training/item-deviations.ts'
import type { RecommenderParts } from './decisions.ts'

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

  /**
   * Like `find`, but throws for an unknown name.
   *
   * @param path The path of the name, for the error.
   */
  row(name: string, path?: string): ItemIndex {
    const row = this.#rows.get(name)
    if (row !== undefined) return row
    throw new RenError('unknown-item', `no item is called ${describeValue(name)}`, { path })
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

// The initial vectors of new items.

/** Tables with a row per item: the model's, and that of σ if it is learned. */
type ItemTables = Pick<RecommenderParts, 'model' | 'deviations'>

/** The names of the parameters of these tables. */
export const itemTableNames: readonly string[] = ['items', 'itemBias', 'itemDeviations']

/** Rows of a file for items that the model lacks. */
export type KnownRows = ReturnType<typeof knownRows>

/**
 * Creates known rows from `first` on.
 *
 * @param names The item names from row 0 on.
 */
export function knownRows(
  first: number,
  names: readonly string[],
  tables: ReadonlyMap<string, Float32Array>,
) {
  return {
    /** The row after the last known one. */
    end: names.length,
    /** Returns the values of a parameter; undefined if the row is unknown or has another name. */
    find(parameter: string, row: ItemIndex, name: string): Float32Array | undefined {
      const values = row >= first && names[row] === name ? tables.get(parameter) : undefined
      const columns = (values?.length ?? 0) / (names.length - first)
      return values?.subarray((row - first) * columns, (row - first + 1) * columns)
    },
  }
}

export interface NewItems {
  readonly names: readonly string[]
  /** Rows of the items that they are like. */
  readonly like?: readonly ItemIndex[]
  /** One per item (d values). */
  readonly vectors?: readonly (readonly number[])[] | undefined
}

/**
 * Returns the items of a batch (see `newItemBatches`) that never had a row. A removed item that
 * returns continues with its learned row.
 */
export function newItemsIn(batch: readonly ItemPut[], catalog: CatalogView): NewItems {
  const { like = [], embedding } = batch[0]!
  const names = batch.map(({ item }) => item).filter((name) => catalog.find(name) === undefined)
  return embedding === undefined
    ? { names, like: like.map((name) => catalog.row(name)) }
    : { names, vectors: names.map(() => embedding) }
}

/**
 * Adds items to a model. A new item starts at its known row, else at its vector, else at the mean
 * of the rows of `like`. Otherwise the architecture draws its row from a random stream of the row
 * number, so that a restart draws the same values.
 */
export function addItemRows(
  tables: ItemTables,
  { names, like = [], vectors }: NewItems,
  random: Random,
  known: KnownRows | null,
): void {
  if (names.length === 0) return
  const { model } = tables
  const { dimension, itemCount: first } = model
  model.addItems(names.length, zeros)
  const { values } = model.itemEmbeddings
  const mean = like.length > 0 ? meanRow(values, dimension, like) : null
  for (const [i, name] of names.entries()) {
    const row = first + i
    if (known !== null && setKnown(tables, row, name, known)) continue
    const start = vectors?.[i] ?? mean
    values.set(start ?? startRow(model, random.fork(String(row))), row * dimension)
  }
  model.markChanged()
}

/** Sets the known rows of an item. Returns whether its vector is known. */
function setKnown(tables: ItemTables, row: ItemIndex, name: string, known: KnownRows): boolean {
  if (row >= known.end) return false
  let isKnown = false
  for (const { parameter } of tablesOf(tables.model, tables.deviations)) {
    const { value } = parameter
    const values = known.find(parameter.name, row, name)
    if (values !== undefined) value.values.set(values, (row + 1) * value.columns)
    if (parameter === tables.model.table.parameter) isKnown = values !== undefined
  }
  return isKnown
}

function meanRow(values: Float32Array, dimension: number, rows: readonly ItemIndex[]) {
  return Float32Array.from({ length: dimension }, (_, j) => {
    const sum = rows.reduce((total, row) => total + values[row * dimension + j]!, 0)
    return sum / rows.length
  })
}

function startRow({ architecture, dimension, itemCount }: SequenceModel, random: Random) {
  const draw = architecture.startItems?.(random, itemCount) ?? normal(random, 0.1)
  return Float32Array.from({ length: dimension }, draw)
}
