// The one thread that writes to a store's file. It is handed groups of calls; each group is one
// transaction, so that many calls share the wait for the disk.

import { parentPort, workerData } from 'node:worker_threads'

import { RenError } from '../../core/errors.ts'
import { requireNewKey } from '../refusals.ts'
import type { Answer, CallKind, Group, Outcome, Request, WriterStart } from './calls.ts'
import { openDatabase } from './database.ts'
import type { Database } from './database.ts'
import { createEraser } from './erase-user.ts'
import { prepareEnds } from './log-ends.ts'
import { migrate, versionOf } from './migrations.ts'
import type { WriteStatements } from './statements.ts'
import { createLogWriter } from './write-log.ts'
import { createSnapshotWriter } from './write-snapshots.ts'

type Handlers = { readonly [K in CallKind]: (request: Request<K>) => Answer<K> }

function openForWriting({ path, patience, maxBytes, statements }: WriterStart): Database {
  const database = openDatabase(path, { readOnly: false, patience })
  // Before anything is written, so that a file of somebody else stays as it is.
  versionOf(database)
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  // Many events at once touch many pages of the indexes: a cache that holds them, and fewer moves of
  // the write-ahead log, make that a quarter less work.
  database.exec('pragma cache_size = -32000; pragma wal_autocheckpoint = 4000')
  // What is deleted is overwritten: an erased user is not to be found in the free pages.
  database.exec('pragma secure_delete = on')
  if (maxBytes !== null) {
    const pages = Math.floor(maxBytes / database.pragma('page_size'))
    database.exec(`pragma max_page_count = ${pages}`)
  }
  migrate(database)
  // A log whose end is not known is refused at once.
  prepareEnds(database, statements.ends)()
  return database
}

function createHandlers(database: Database, statements: WriteStatements): Handlers {
  const log = createLogWriter(database, statements)
  const isKey = database.prepare(statements.key)
  const addKey = database.prepare(statements.addKey)
  const revokeKey = database.prepare(statements.revokeKey)
  return {
    append: (request) => log.append(request),
    eraseUser: createEraser(database, statements, log),
    ...createSnapshotWriter(database, statements),
    addKey(key) {
      const { id, name, scopes, hash, created, revoked } = key
      requireNewKey(isKey.first(id) !== undefined, key)
      addKey.run(id, name, JSON.stringify(scopes), hash, created, revoked)
    },
    // Done by `main`, since it is no transaction.
    settle: () => {},
    revokeKey: ({ id, time }) => revokeKey.run(time, id) === 1,
  }
}

function serve(
  database: Database,
  statements: WriteStatements,
): (group: Group) => readonly Outcome[] {
  const handlers = createHandlers(database, statements)
  const answer = ({ kind, request }: Group[number]): Outcome => {
    const handle = handlers[kind] as (request: unknown) => unknown
    return { answer: handle(request) }
  }
  const alone = (call: Group[number]): Outcome => {
    try {
      return database.transaction(() => answer(call))
    } catch (error) {
      return { failure: toFailure(error) }
    }
  }
  return (group) => {
    if (group.length === 1) return group.map(alone)
    let began = false
    try {
      return database.transaction(() => {
        began = true
        return group.map(answer)
      })
    } catch (error) {
      // One of them failed and took the others back with it: alone, only that one fails. Where the
      // file could not be had at all, each would only wait for it again.
      return began ? group.map(alone) : group.map(() => ({ failure: toFailure(error) }))
    }
  }
}

/** Milliseconds until the write-ahead log is moved where somebody was reading from it. */
const settleAgainMs = 1000

/** Moves the write-ahead log into the file, as soon as nobody reads from it. */
function createSettler(database: Database) {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearTimeout(timer)
  const settle = (): void => {
    stop()
    if (!database.settle()) timer = setTimeout(settle, settleAgainMs)
  }
  return { settle, stop }
}

function toFailure(error: unknown): { code: string; message: string } {
  if (error instanceof RenError) return { code: error.code, message: error.message }
  return { code: 'store-failed', message: `the store's writer failed: ${String(error)}` }
}

function main(port: NonNullable<typeof parentPort>): void {
  try {
    const start = workerData as WriterStart
    const database = openForWriting(start)
    const run = serve(database, start.statements)
    const settler = createSettler(database)
    port.on('message', (group: Group | 'close') => {
      if (group !== 'close') {
        port.postMessage(run(group))
        if (group.some(({ kind }) => kind === 'settle')) settler.settle()
        return
      }
      settler.stop()
      database.close()
      port.close()
    })
    port.postMessage({ answer: 'ready' } satisfies Outcome)
  } catch (error) {
    port.postMessage({ failure: toFailure(error) } satisfies Outcome)
  }
}

main(parentPort!)
