// Imports a log of interactions into a store, in order of time. An interrupted import can be resumed:
// each batch is committed together with a mark that says how many rows are done.

import { createHash } from 'node:crypto'

import { RenError } from '../../core/errors.ts'
import type { InteractionLog } from '../../core/log.ts'
import type { EventStore, ItemPut, NewEvent, Position } from '../../storage/index.ts'
import { importItems, inBatches, type ImportOptions, type ImportProgress } from './import-items.ts'

export interface ImportReport extends ImportProgress {
  /** Items that were not in the catalog. */
  readonly newItems: number
  /** The position of the last imported event; 0 if none was imported. */
  readonly position: Position
}

/** Default rows per transaction. Batches of 2,000 rows need a quarter more CPU time. */
const defaultBatchRows = 10_000

/** Prepares one batch while the store writes the other, which keeps both threads busy. */
const maxPendingBatches = 2

/** Imports the rows that an earlier call for the same log, in any process, has not imported. */
export async function importLog(
  store: EventStore,
  log: InteractionLog,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const name = `import ${fingerprintOf(log)}`
  const mark = await store.mark(name)
  const before = Number(mark ?? 0)
  const order = byTime(log).subarray(before)
  // Adds all items first: other writers may set attributes during the import, which must stay.
  const { onProgress: _, ...quiet } = options
  const { added: newItems } = await importItems(store, namedItems(log, order), {
    ...quiet,
    time: log.times[order[0] ?? 0] ?? 0,
    retainAttributes: true,
  })
  const start = { done: before, mark: { name, value: mark } }
  const { done, position } = await appendRows(store, log, order, start, options)
  return { rows: log.users.length, done, before, newItems, position }
}

interface Start {
  readonly done: number
  readonly mark: { readonly name: string; readonly value: string | null }
}

async function appendRows(
  store: EventStore,
  log: InteractionLog,
  order: Int32Array,
  { done: before, mark: { name, value: first } }: Start,
  { signal, onProgress, batchRows = defaultBatchRows }: ImportOptions,
): Promise<Pick<ImportReport, 'done' | 'position'>> {
  const rows = before + order.length
  let [end, was] = [before, first]
  let durable = { done: before, position: 0 }
  const writing: Promise<void>[] = []
  try {
    for (const batch of inBatches(order, batchRows)) {
      if (signal?.aborted) break
      const done = (end += batch.length)
      const events = Array.from(batch, (row) => interactionOf(log, row))
      // If the previous batch fails, the mark does not match, and the store refuses this batch too.
      const mark = { name, value: String(done), was }
      const written = store.append(events, mark).then(({ head }) => {
        durable = { done, position: head }
        onProgress?.({ rows, done, before })
      })
      written.catch(() => null) // awaited later
      was = mark.value
      if (writing.push(written) === maxPendingBatches) await writing.shift()
    }
    await Promise.all(writing)
    return durable
  } catch (error) {
    if (!(error instanceof RenError && error.code === 'mark-moved')) throw error
    const message = 'another process imports the same log; nothing was imported twice'
    throw new RenError('mark-moved', message, { cause: error })
  } finally {
    await Promise.allSettled(writing)
  }
}

/** Row numbers in order of time; rows with equal times stay in the order of the log. */
function byTime({ times }: InteractionLog): Int32Array {
  return Int32Array.from(times, (_, row) => row).toSorted((a, b) => times[a]! - times[b]!)
}

/** The items of the rows, in order of their first row. */
function namedItems({ items, itemNames }: InteractionLog, rows: Int32Array): readonly ItemPut[] {
  const named = new Set(Array.from(rows, (row) => items[row]!))
  return Array.from(named, (item) => ({ item: itemNames[item]! }))
}

function interactionOf(log: InteractionLog, row: number): NewEvent {
  return {
    event: {
      kind: 'interaction',
      user: log.userNames[log.users[row]!]!,
      item: log.itemNames[log.items[row]!]!,
      reward: shortest(log.rewards[row]!),
      time: log.times[row]!,
    },
  }
}

/** The shortest decimal that rounds to the float32, up to seven digits: 0.1, not 0.10000000149. */
function shortest(value: number): number {
  if (Number.isInteger(value)) return value
  const short = Number(value.toPrecision(7))
  return Math.fround(short) === value ? short : value
}

/** A hash of all rows and names, in order. */
function fingerprintOf(log: InteractionLog): string {
  const hash = createHash('sha256')
  for (const column of [log.users, log.items, log.rewards, log.times]) hash.update(column)
  for (const names of [log.userNames, log.itemNames]) hash.update(JSON.stringify(names))
  return hash.digest('hex').slice(0, 32)
}
