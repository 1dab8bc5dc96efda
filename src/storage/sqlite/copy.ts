// Backs up a store while it is in use, and restores a backup. The target is complete or unchanged.

import { existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync, backup, type BackupProgressInfo } from 'node:sqlite'

import { invalid, RenError } from '../../core/errors.ts'
import { claimStore } from './claim.ts'
import { connect, openDatabase, type Database, type DatabaseOptions } from './database.ts'
import { asStoreError, isBusy } from './failures.ts'
import { setIdentity } from './log-ends.ts'
import { migrate, versionOf } from './migrations.ts'
import { realPath, requirePlace, syncFolder } from './place.ts'
import { defaultPatience, openReader } from './reader.ts'

/** Settings of {@link restoreStore}. */
export interface RestoreOptions {
  /** Whether to replace an existing store. Defaults to false. */
  readonly replace?: boolean
  /** Called with the completed share of the copy, from 0 to 1. Defaults to no calls. */
  readonly onProgress?: (share: number) => void
}

// Without a write-ahead log no process has the file open. It is then read without creating files beside it,
// so a backup may be on a read-only disk.
const reading = (path: string): DatabaseOptions => ({
  readOnly: true,
  patience: defaultPatience,
  isFrozen: !existsSync(`${realPath(path)}-wal`),
})

/** Copies a store while others write to it. Replaces an existing file once the copy is complete. */
export async function backUpStore(
  from: string,
  to: string,
  onProgress?: (share: number) => void,
): Promise<void> {
  await install(to, (path) => copy(from, path, onProgress))
}

/**
 * Creates a store from a backup, after it has checked every page and every event of the backup.
 *
 * @param from The path of the backup.
 * @param to The path of the new store.
 */
export async function restoreStore(
  from: string,
  to: string,
  { replace = false, onProgress }: RestoreOptions = {},
): Promise<void> {
  if (withDatabase(from, reading(from), versionOf) === 0) {
    throw new RenError('store-foreign', `${from} is empty and therefore not a backup`)
  }
  if (!replace && existsSync(to)) {
    throw invalid(`there is a file at ${to}; set the option replace to replace it`)
  }
  const claim = claimStore(to)
  try {
    await install(to, async (path) => {
      await copy(from, path, onProgress)
      await check(path, from)
    })
  } finally {
    claim.release()
  }
}

/** Closes the connection when the work has ended. */
function withDatabase<T>(
  path: string,
  options: DatabaseOptions,
  work: (database: Database) => T,
): T {
  const database = openDatabase(path, options)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Writes the copy to a temporary file and renames it, so that a crash leaves the old file. */
async function install(path: string, make: (path: string) => Promise<void>): Promise<void> {
  requirePlace(path, false)
  requireUnused(path)
  const to = realPath(path)
  const part = `${to}.part`
  try {
    removeStore(part)
    await make(part)
    withDatabase(part, { readOnly: false, patience: defaultPatience }, (database) =>
      setIdentity(database),
    )
    // SQLite would apply the write-ahead log of the old file to the new one.
    removeStore(to, ['-wal', '-shm', '-journal'])
    renameSync(part, to)
    syncFolder(to)
  } finally {
    removeStore(part)
  }
}

async function copy(from: string, to: string, onProgress?: (share: number) => void): Promise<void> {
  try {
    const source = connect(from, reading(from))
    try {
      // A read transaction, so that the copy does not start over with each write of others.
      source.exec('begin; select head from log')
      const progress = ({ totalPages, remainingPages }: BackupProgressInfo): void =>
        onProgress?.(1 - remainingPages / totalPages)
      await backup(source, to, { rate: 1000, progress })
      onProgress?.(1)
    } finally {
      source.close()
    }
  } catch (error) {
    throw asStoreError(error, `${from} (copied to ${to})`)
  }
}

async function check(path: string, from: string): Promise<void> {
  const problem = withDatabase(path, reading(path), (database) => database.check())
  if (problem !== null) throw new RenError('store-damaged', `${from} is damaged: ${problem}`)
  // An earlier version may have written the backup.
  withDatabase(path, { readOnly: false, patience: defaultPatience }, migrate)
  const reader = openReader(path, reading(path))
  try {
    // Reading verifies the checksums of all events.
    for await (const _ of reader.read(0));
  } finally {
    await reader.close()
  }
}

/** An exclusive lock fails if another process has the file open in write-ahead mode. */
function requireUnused(path: string): void {
  if (!existsSync(path)) return
  try {
    const database = new DatabaseSync(path, { timeout: 0 })
    try {
      database.exec('pragma locking_mode = exclusive; begin exclusive; rollback')
    } finally {
      database.close()
    }
  } catch (error) {
    // A damaged file may be replaced.
    if (!isBusy(error)) return
    throw new RenError('store-in-use', `the store at ${path} is open in another process`)
  }
}

function removeStore(path: string, endings = ['', '-wal', '-shm', '-journal']): void {
  for (const ending of endings) rmSync(`${path}${ending}`, { force: true })
}
