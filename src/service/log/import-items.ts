// Brings items and their attributes into a store. What is there already, as it is to be, is left
// alone: so it can be cut off and done again.

import { isDeepStrictEqual } from 'node:util'

import type { EventStore, ItemPut } from '../../storage/index.ts'
import { readCatalog } from '../serving/catalog-attributes.ts'

export interface ImportOptions {
  /** Stops after what is under way. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
  /** Rows per transaction: other writers wait that long. Defaults to 10,000 events or 2,000 items. */
  readonly batchRows?: number
}

export interface ImportProgress {
  readonly rows: number
  /** Rows that are durable, those that were so before among them. */
  readonly done: number
  /** Rows that were there when it began. */
  readonly before: number
}

export interface ItemsReport extends ImportProgress {
  readonly added: number
  readonly changed: number
}

interface ItemsOptions extends ImportOptions {
  /** When it happens, in milliseconds since 1970. */
  readonly time: number
  /** Leaves the attributes of items that are there as they are. */
  readonly storeAttributes?: boolean
}

export async function importItems(
  store: EventStore,
  items: readonly ItemPut[],
  { time, storeAttributes = false, signal, onProgress, batchRows = usualBatch }: ItemsOptions,
): Promise<ItemsReport> {
  const catalog = await readCatalog(store)
  const changed = items.filter(({ item, attributes = {} }) => {
    const known = catalog.get(item)
    return known === undefined || !(storeAttributes || isDeepStrictEqual(known, attributes))
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

const usualBatch = 2000

export function* inBatches<T extends Sliceable<T>>(rows: T, size: number): Generator<T> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size)
}

interface Sliceable<T> {
  readonly length: number
  slice(from: number, to: number): T
}
