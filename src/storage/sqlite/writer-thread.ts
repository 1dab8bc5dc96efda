// The one thread that writes to a store's file. It is handed groups of calls; each group is one
// transaction, so that many calls share the wait for the disk.

import { RenError } from '../../core/errors.ts'
import { failureOf, serveCalls } from '../../node/thread.ts'
import type { Failure } from '../../node/thread.ts'
import { requireNewKey } from '../refusals.ts'
import type { Group, Outcome, WriteCalls, WriterCalls, WriterStart } from './calls.ts'
import { openDatabase } from './database.ts'
import type { Database } from './database.ts'
import { createEraser } from './erase-user.ts'
import { prepareEnds } from './log-ends.ts'
import { migrate, versionOf } from './migrations.ts'
import { writeStatements } from './statements.ts'
import { createLogWriter } from './write-log.ts'
import { createSnapshotWriter } from './write-snapshots.ts'

let database: Database
let handlers: WriteCalls
/** Runs until the write-ahead log is moved, where somebody was reading from it. */
let settling: NodeJS.Timeout | undefined

serveCalls<WriterCalls>({
  open(start) {
    database = openForWriting(start)
    handlers = createHandlers()
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
  // Before anything is written, so that a file of somebody else stays as it is.
  versionOf(opened)
  opened.exec('pragma journal_mode = wal; pragma synchronous = full')
  // Many events at once touch many pages of the indexes: a cache that holds them, and fewer moves of
  // the write-ahead log, make that a quarter less work.
  opened.exec('pragma cache_size = -32000; pragma wal_autocheckpoint = 4000')
  // What is deleted is overwritten: an erased user is not to be found in the free pages.
  opened.exec('pragma secure_delete = on')
  if (maxBytes !== null) {
    const pages = Math.floor(maxBytes / opened.pragma('page_size'))
    opened.exec(`pragma max_page_count = ${pages}`)
  }
  migrate(opened)
  // A log whose end is not known is refused at once.
  prepareEnds(opened)()
  return opened
}

function createHandlers(): WriteCalls {
  const log = createLogWriter(database)
  const isKey = database.prepare(writeStatements.key)
  const addKey = database.prepare(writeStatements.addKey)
  const revokeKey = database.prepare(writeStatements.revokeKey)
  return {
    append: (request) => log.append(request),
    eraseUser: createEraser(database, log),
    ...createSnapshotWriter(database),
    addKey(key) {
      const { id, name, scopes, hash, created, revoked } = key
      requireNewKey(isKey.first(id) !== undefined, key)
      addKey.run(id, name, JSON.stringify(scopes), hash, created, revoked)
    },
    revokeKey: ({ id, time }) => revokeKey.run(time, id) === 1,
  }
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
    // One of them failed and took the others back with it: alone, only that one fails. Where the
    // file could not be had at all, each would only wait for it again.
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

/** Milliseconds until the write-ahead log is moved where somebody was reading from it. */
const settleAgainMs = 1000

function settle(): void {
  clearTimeout(settling)
  if (!database.settle()) settling = setTimeout(settle, settleAgainMs)
}
