// A store in memory: a SQLite database without a file, which the caller's thread writes. Other threads
// of the process read it by its location.

import { RenError } from '../core/errors.ts'
import { createPending } from '../core/pending.ts'
import type { EventStore } from './event-store.ts'
import { Database } from './sqlite/database.ts'
import { LogTransactions } from './sqlite/log-ends.ts'
import { migrate } from './sqlite/migrations.ts'
import { inMemory } from './sqlite/place.ts'
import { defaultPatience, readFrom } from './sqlite/reader.ts'
import { createWriteHandlers } from './sqlite/write-log.ts'
import { writeCalls, type WriterSide } from './sqlite/writer.ts'

let count = 0

/** Creates a store in memory. It behaves like a SQLite store, but its data ends with the process. */
export function createMemoryStore(): EventStore {
  const location = `${inMemory}/ren-${++count}?vfs=memdb`
  const database = new Database(location, { readOnly: false, patience: defaultPatience })
  migrate(database)
  const reader = readFrom(database)
  const log = new LogTransactions(database)
  const handlers = createWriteHandlers(database, log)
  const pending = createPending()
  let closing = false
  const writer: WriterSide = {
    begin: async (work) => {
      if (closing) throw new RenError('store-closed', 'the store in memory is closed')
      return pending.track(work)
    },
    call: async (kind, request) => log.run(() => handlers[kind](request as never)).result,
    tidy() {
      while (handlers.sweep(null));
    },
  } as WriterSide
  return {
    ...reader,
    ...writeCalls(writer),
    readerLocation: location,
    shared: null,
    claim: () => writer.begin(async () => {}),
    size: async () => ({ events: await reader.head(), bytes: database.bytes() }),
    backup: () =>
      writer.begin(async () => {
        throw new RenError('store-failed', 'a store in memory has no file to back up')
      }),
    async close() {
      closing = true
      await pending.settled()
      await reader.close()
    },
  }
}
