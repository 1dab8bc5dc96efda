// Copies of a store's file, whole or not there: a backup of one that is in use, and a store from a
// backup.

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync, backup } from 'node:sqlite'
import type { BackupProgressInfo } from 'node:sqlite'

import { RenError } from '../../core/errors.ts'
import { claimStore } from './claim.ts'
import { connect, openDatabase, requirePlace } from './database.ts'
import type { DatabaseOptions } from './database.ts'
import { asStoreError, isBusy } from './failures.ts'
import { migrate, versionOf } from './migrations.ts'
import { defaultPatience, openReader } from './reader.ts'

/** Settings of {@link restoreStore}. */
export interface RestoreOptions {
  /** True puts the copy in the place of a store that is there. */
  readonly replace?: boolean
  readonly onProgress?: (share: number) => void
}

// Without a write-ahead log beside it nobody has a file open, and a backup may lie anywhere.
const reading = (path: string): DatabaseOptions => ({
  readOnly: true,
  patience: defaultPatience,
  isFrozen: !existsSync(`${path}-wal`),
})

/** Copies a store while others write to it; a file in that place is replaced once the copy is whole. */
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
  requireBackup(from)
  if (!replace && existsSync(to)) {
    throw new RenError('invalid-argument', `there is a file at ${to}; use the option to replace it`)
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

function requireBackup(path: string): void {
  const database = openDatabase(path, reading(path))
  try {
    if (versionOf(database) > 0) return
  } finally {
    database.close()
  }
  throw new RenError('store-foreign', `${path} is empty, and not a backup`)
}

// The copy is made beside its place and moved there when it is whole, so that a crash leaves what was
// there before.
async function install(to: string, make: (path: string) => Promise<void>): Promise<void> {
  requirePlace(to, false)
  requireUnused(to)
  const part = `${to}.part`
  try {
    removeStore(part)
    await make(part)
    // A write-ahead log of the old file would be taken for one of the new.
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
      // A reader's view stays as it is, so that the copy need not start over with each write.
      source.exec('begin; select head from log')
      const progress = ({ totalPages, remainingPages }: BackupProgressInfo): void =>
        onProgress?.(1 - remainingPages / totalPages)
      await backup(source, to, { rate: 1000, progress })
      onProgress?.(1)
    } finally {
      source.close()
    }
  } catch (error) {
    throw asStoreError(error, `${from}, copied to ${to}`)
  }
}

async function check(path: string, from: string): Promise<void> {
  const database = openDatabase(path, reading(path))
  const problem = database.check()
  database.close()
  if (problem !== null) throw new RenError('store-damaged', `${from} is damaged: ${problem}`)
  bringUpToDate(path)
  const reader = openReader(path, reading(path))
  try {
    // Reading is the check of the events.
    for await (const _ of reader.read(0));
  } finally {
    await reader.close()
  }
}

/** Migrates the copy of a backup that an earlier version wrote. */
function bringUpToDate(path: string): void {
  const database = openDatabase(path, { readOnly: false, patience: defaultPatience })
  try {
    migrate(database)
  } finally {
    database.close()
  }
}

// Whoever has a file open with a write-ahead log keeps others from having it alone.
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
    // One that is damaged may be replaced.
    if (!isBusy(error)) return
    throw new RenError('store-in-use', `the store at ${path} is open in another process`)
  }
}

function removeStore(path: string, endings = ['', '-wal', '-shm', '-journal']): void {
  for (const ending of endings) rmSync(`${path}${ending}`, { force: true })
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(resolve(path)), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
