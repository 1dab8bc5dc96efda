// Brings a log of interactions into a store, in the order of time, so that it can be cut off at any
// moment and gone on with: each batch is durable together with the mark of how far it came.

import { createHash } from 'node:crypto'

import { RenError } from '../core/errors.ts'
import type { InteractionLog } from '../core/log.ts'
import type { EventStore, ItemPut, NewEvent, Position } from '../storage/index.ts'
import { importItems } from './import-items.ts'
import type { ImportOptions, ImportProgress } from './import-items.ts'

export interface ImportReport extends ImportProgress {
  /** Items that the catalogue did not have. */
  readonly newItems: number
  /** Of the last event written, 0 where none was. */
  readonly position: Position
}

/** Two batches on their way keep both threads busy: one is made while the other is written. */
const onTheirWay = 2

/** Appends what an earlier call for the same log, in this process or another, has not appended. */
export async function importLog(
  store: EventStore,
  log: InteractionLog,
  { signal, onProgress, batchRows = 2000 }: ImportOptions = {},
): Promise<ImportReport> {
  const name = `import ${fingerprintOf(log)}`
  const mark = await store.mark(name)
  const before = Number(mark ?? 0)
  const order = byTime(log).subarray(before)
  const rows = log.users.length
  // All at once: while rows are written, others may put them with attributes that are to stay.
  const { added: newItems } = await importItems(store, namedItems(log, order), {
    time: log.times[order[0] ?? 0] ?? 0,
    keepAttributes: true,
    batchRows,
    ...(signal && { signal }),
  })
  let [done, position, was] = [before, 0, mark]
  const writing: Promise<void>[] = []
  try {
    for (let end = before; end < rows && !signal?.aborted;) {
      const batch = order.subarray(end - before, end - before + batchRows)
      end += batch.length
      const [reached, value] = [end, String(end)]
      const events = Array.from(batch, (row) => feedbackOf(log, row))
      // A batch whose forerunner failed is refused too, since the mark is not where it was to be.
      const written = store.append(events, { name, value, was }).then(({ head }) => {
        ;[done, position] = [reached, head]
        onProgress?.({ rows, done, before })
      })
      written.catch(() => null) // told of when its turn comes
      was = value
      if (writing.push(written) === onTheirWay) await writing.shift()
    }
    await Promise.all(writing)
  } catch (error) {
    throw isOvertaken(error) ? overtaken(error) : error
  } finally {
    await Promise.allSettled(writing)
  }
  return { rows, done, before, newItems, position }
}

const isOvertaken = (error: unknown): boolean =>
  error instanceof RenError && error.code === 'mark-moved'

function overtaken(cause: unknown): RenError {
  const message = 'somebody else imports the same log at the same time; nothing was written twice'
  return new RenError('mark-moved', message, { cause })
}

/** Row numbers as it all happened; at equal times as the log has them. */
function byTime({ times }: InteractionLog): Int32Array {
  return Int32Array.from(times, (_, row) => row).sort((a, b) => times[a]! - times[b]!)
}

/** What the rows name, in the order in which they do. */
function namedItems({ items, itemNames }: InteractionLog, rows: Int32Array): readonly ItemPut[] {
  const named = new Set(Array.from(rows, (row) => items[row]!))
  return Array.from(named, (item) => ({ item: itemNames[item]! }))
}

function feedbackOf(log: InteractionLog, row: number): NewEvent {
  return {
    event: {
      kind: 'feedback',
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
