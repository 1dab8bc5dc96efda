// The thread that writes to a store's file. It receives groups of calls and commits each group in one
// transaction, so that many calls share one sync to disk.

import { existsSync } from 'node:fs'

import { RenError } from '../../core/errors.ts'
import { failureOf, serveCalls, type Failure } from '../../node/thread.ts'
import type { Group, Outcome, WriteCalls, WriterCalls, WriterStart } from './calls.ts'
import { openDatabase, type Database } from './database.ts'
import {
  clearCommits,
  openCommitFile,
  readCommits,
  requireCommits,
  type Commit,
  type CommitFile,
} from './last-commit.ts'
import { LogTransactions, prepareEnds } from './log-ends.ts'
import { isCurrent, migrate, versionOf } from './migrations.ts'
import { realPath, requireOneName } from './place.ts'
import { createWriteHandlers } from './write-log.ts'

let database: Database
let handlers: WriteCalls
let log: LogTransactions
let commitFile: CommitFile
/** Durable, but not yet in the commit file. */
let newCommit: Commit | null = null
/** The timer of the next attempt to move the write-ahead log into the file. */
let settling: NodeJS.Timeout | undefined

serveCalls<WriterCalls>({
  open(start) {
    const path = realPath(start.path)
    database = openForWriting(start, path)
    commitFile = openCommitFile(path)
    log = new LogTransactions(database)
    handlers = createWriteHandlers(database, log)
    // The place in the file is random, and may have a later commit of another writer.
    log.run(() => commitFile.write(log.ends))
  },
  commit,
  settle,
  close() {
    clearTimeout(settling)
    commitFile.close()
    database.close()
  },
})

function openForWriting({ path, patience, maxBytes }: WriterStart, real: string): Database {
  requireOneName(real)
  if (!existsSync(real)) clearCommits(real)
  // Before the file is opened, since others may write to it.
  const commits = readCommits(real)
  const opened = openDatabase(path, { readOnly: false, patience })
  try {
    // Refuses foreign files before anything is written.
    if (versionOf(opened) === 0) requireCommits(path, commits, null)
    prepareForWriting(opened, maxBytes)
    // Also refuses a damaged head at once.
    requireCommits(path, commits, prepareEnds(opened)())
    return opened
  } catch (error) {
    opened.close()
    throw error
  }
}

function prepareForWriting(opened: Database, maxBytes: number | null): void {
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
  if (isCurrent(opened)) return
  migrate(opened)
  // Without the tables in the file, a store that lost its write-ahead log would look like a new one.
  opened.settle()
}

function commit(group: Group): readonly Outcome[] {
  const outcomes = commitGroup(group)
  if (newCommit === null) return outcomes
  // A young store has all its data in the write-ahead log.
  settling ??= setTimeout(settle, settleMs)
  try {
    commitFile.write(newCommit)
    newCommit = null
    return outcomes
  } catch (error) {
    return group.map(() => ({ failure: toFailure(error) }))
  }
}

function commitGroup(group: Group): readonly Outcome[] {
  if (group.length === 1) return group.map(commitAlone)
  let began = false
  try {
    return transact(() => {
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
    return transact(() => answer(call))
  } catch (error) {
    return { failure: toFailure(error) }
  }
}

function transact<T>(body: () => T): T {
  const done = log.run(body)
  newCommit = done.commit ?? newCommit
  return done.result
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

/** Milliseconds until the write-ahead log moves into the file. */
const settleMs = 10_000
/** Milliseconds until the next attempt if others were reading from the write-ahead log. */
const settleAgainMs = 1000

function settle(): void {
  clearTimeout(settling)
  settling = database.settle() ? undefined : setTimeout(settle, settleAgainMs)
}
