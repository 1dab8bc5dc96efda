// Imports items and their attributes into a store. Skips items that are already up to date, so an
// interrupted import can be repeated.

import { isDeepStrictEqual } from 'node:util'

import type { EventStore, ItemPut } from '../../storage/index.ts'
import { readCatalog } from '../serving/catalog-attributes.ts'

export interface ImportOptions {
  /** Stops the import after the current batches. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
  /** Rows per transaction; other writers wait for it. Defaults to 10,000 events or 2,000 items. */
  readonly batchRows?: number
}

export interface ImportProgress {
  readonly rows: number
  /** Durable rows, including those from before. */
  readonly done: number
  /** Rows that were durable when the import began. */
  readonly before: number
}

export interface ItemsReport extends ImportProgress {
  readonly added: number
  readonly changed: number
}

interface ItemsOptions extends ImportOptions {
  /** The time of the events, in milliseconds since 1970. */
  readonly time: number
  /** Keeps the attributes of items that exist. Defaults to false. */
  readonly retainAttributes?: boolean
}

export async function importItems(
  store: EventStore,
  items: readonly ItemPut[],
  { time, retainAttributes = false, signal, onProgress, batchRows = 2000 }: ItemsOptions,
): Promise<ItemsReport> {
  const catalog = await readCatalog(store)
  const changed = items.filter(({ item, attributes = {} }) => {
    const known = catalog.get(item)
    return known === undefined || !(retainAttributes || isDeepStrictEqual(known, attributes))
  })
  const [rows, before] = [items.length, items.length - changed.length]
  let [done, added] = [before, 0]
  for (const batch of inBatches(changed, batchRows)) {
    if (signal?.aborted) break
    await store.append([{ event: { kind: 'items-put', items: batch, time } }])
    done += batch.length
    added += batch.filter(({ item }) => !catalog.has(item)).length
    onProgress?.({ rows, done, before })
  }
  return { rows, done, before, added, changed: done - before - added }
}

export function* inBatches<T extends Sliceable<T>>(rows: T, size: number): Generator<T> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size)
}

interface Sliceable<T> {
  readonly length: number
  slice(from: number, to: number): T
}
