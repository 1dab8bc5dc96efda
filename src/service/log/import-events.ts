// Brings a log of interactions into a store, in the order of time, so that it can be cut off at any
// moment and gone on with: each batch is durable together with the mark of how far it came.

import { createHash } from 'node:crypto'

import { RenError } from '../../core/errors.ts'
import type { InteractionLog } from '../../core/log.ts'
import type { EventStore, ItemPut, NewEvent, Position } from '../../storage/index.ts'
import { importItems, inBatches } from './import-items.ts'
import type { ImportOptions, ImportProgress } from './import-items.ts'

export interface ImportReport extends ImportProgress {
  /** Items that the catalog did not have. */
  readonly newItems: number
  /** Of the last event written, 0 where none was. */
  readonly position: Position
}

/** Default rows per transaction: with 2,000 the same rows take a quarter more CPU or worse. */
const usualRows = 10_000

/** Two batches on their way keep both threads busy: one is made while the other is written. */
const onTheirWay = 2

/** Appends what an earlier call for the same log, in this process or another, has not appended. */
export async function importLog(
  store: EventStore,
  log: InteractionLog,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const name = `import ${fingerprintOf(log)}`
  const mark = await store.mark(name)
  const before = Number(mark ?? 0)
  const order = byTime(log).subarray(before)
  // All at once: while rows are written, others may put them with attributes that are to stay.
  const { onProgress: _, ...quiet } = options
  const { added: newItems } = await importItems(store, namedItems(log, order), {
    ...quiet,
    time: log.times[order[0] ?? 0] ?? 0,
    storeAttributes: true,
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
  { signal, onProgress, batchRows = usualRows }: ImportOptions,
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
      // A batch whose forerunner failed is refused too, since the mark is not where it was to be.
      const mark = { name, value: String(done), was }
      const written = store.append(events, mark).then(({ head }) => {
        durable = { done, position: head }
        onProgress?.({ rows, done, before })
      })
      written.catch(() => null) // reported when its turn comes
      was = mark.value
      if (writing.push(written) === onTheirWay) await writing.shift()
    }
    await Promise.all(writing)
    return durable
  } catch (error) {
    throw isOvertaken(error) ? overtaken(error) : error
  } finally {
    await Promise.allSettled(writing)
  }
}

const isOvertaken = (error: unknown): boolean =>
  error instanceof RenError && error.code === 'mark-moved'

function overtaken(cause: unknown): RenError {
  const message = 'somebody else imports the same log at the same time; nothing was written twice'
  return new RenError('mark-moved', message, { cause })
}

/** Row numbers as it all happened; at equal times as the log has them. */
function byTime({ times }: InteractionLog): Int32Array {
  return Int32Array.from(times, (_, row) => row).toSorted((a, b) => times[a]! - times[b]!)
}

/** What the rows name, in the order in which they do. */
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

/** The number that a float32 was read from, where seven digits say it: 0.1, not 0.10000000149. */
function shortest(value: number): number {
  if (Number.isInteger(value)) return value
  const short = Number(value.toPrecision(7))
  return Math.fround(short) === value ? short : value
}

/** Equal for equal rows, of equal names, in equal order. */
function fingerprintOf(log: InteractionLog): string {
  const hash = createHash('sha256')
  for (const column of [log.users, log.items, log.rewards, log.times]) hash.update(column)
  for (const names of [log.userNames, log.itemNames]) hash.update(JSON.stringify(names))
  return hash.digest('hex').slice(0, 32)
}
