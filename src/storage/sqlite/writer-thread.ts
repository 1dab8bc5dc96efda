// The thread that writes to a store's file. It receives groups of calls and commits each group in one
// transaction, so that many calls share one sync to disk.

import { RenError } from '../../core/errors.ts'
import { failureOf, serveCalls, type Failure } from '../../node/thread.ts'
import type { Group, Outcome, WriteCalls, WriterCalls, WriterStart } from './calls.ts'
import { openDatabase, type Database } from './database.ts'
import { migrate, versionOf } from './migrations.ts'
import { prepareEnds } from './rows.ts'
import { createWriteHandlers } from './write-log.ts'

let database: Database
let handlers: WriteCalls
/** The timer of the next attempt to move the write-ahead log into the file. */
let settling: NodeJS.Timeout | undefined

serveCalls<WriterCalls>({
  open(start) {
    database = openForWriting(start)
    handlers = createWriteHandlers(database)
  },
  commit,
  settle,
  close() {
    clearTimeout(settling)
    database.close()
  },
})

function openForWriting({ path, patience, maxBytes }: WriterStart): Database {
  const opened = openDatabase(path, { readOnly: false, patience })
  // Refuses foreign files before anything is written.
  versionOf(opened)
  opened.exec('pragma journal_mode = wal; pragma synchronous = full')
  // Large batches touch many pages of the indexes. A larger cache and fewer checkpoints of the
  // write-ahead log save a quarter of the work.
  opened.exec('pragma cache_size = -32000; pragma wal_autocheckpoint = 4000')
  // Overwrites deleted data, so that free pages contain nothing of erased users.
  opened.exec('pragma secure_delete = on')
  if (maxBytes !== null) {
    const pages = Math.floor(maxBytes / opened.pragma('page_size'))
    opened.exec(`pragma max_page_count = ${pages}`)
  }
  migrate(opened)
  // Refuses a damaged head at once.
  prepareEnds(opened)()
  return opened
}

function commit(group: Group): readonly Outcome[] {
  if (group.length === 1) return group.map(commitAlone)
  let began = false
  try {
    return database.transaction(() => {
      began = true
      return group.map(answer)
    })
  } catch (error) {
    // One call failed and rolled back the others. Alone, only that call fails. If the transaction did
    // not even begin, because the file is locked, a retry would only wait again.
    return began ? group.map(commitAlone) : group.map(() => ({ failure: toFailure(error) }))
  }
}

function commitAlone(call: Group[number]): Outcome {
  try {
    return database.transaction(() => answer(call))
  } catch (error) {
    return { failure: toFailure(error) }
  }
}

function answer({ kind, request }: Group[number]): Outcome {
  const handle = handlers[kind] as (request: unknown) => unknown
  return { answer: handle(request) }
}

const toFailure = (error: unknown): Failure =>
  failureOf(
    error instanceof RenError
      ? error
      : new RenError('store-failed', `the store's writer failed: ${String(error)}`),
  )

/** Milliseconds until the next attempt if others were reading from the write-ahead log. */
const settleAgainMs = 1000

function settle(): void {
  clearTimeout(settling)
  if (!database.settle()) settling = setTimeout(settle, settleAgainMs)
}
