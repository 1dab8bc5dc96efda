// The initial vectors of new items.

import type { ItemPut } from '../core/events.ts'
import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import { normal, zeros } from '../models/parameter.ts'
import { tablesOf } from '../models/training/item-deviations.ts'
import type { CatalogView } from './catalog.ts'

/** Tables with a row per item: the model's, and that of σ if it is learned. */
export interface ItemTables {
  readonly model: SequenceModel
  readonly deviations: ItemDeviations | undefined
}

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
