// The place of a store: its file, which may be behind symbolic links, and its folder.

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

import { RenError } from '../../core/errors.ts'

/** The scheme of databases in memory, which have no file. */
export const inMemory = 'file:'

/** Refuses a missing file, or to create a file in a missing folder. */
export function requirePlace(path: string, readOnly: boolean): void {
  if (path.startsWith(inMemory)) return
  const folder = dirname(resolve(path))
  if (existsSync(readOnly ? path : folder)) return
  const message = readOnly ? `there is no store at ${path}` : `there is no folder ${folder}`
  throw new RenError('store-missing', message)
}

/** The path without symbolic links, also of a file that does not exist yet. SQLite uses it too. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const link = readLink(path)
  return link === null ? resolve(path) : realPath(resolve(dirname(path), link))
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** SQLite has one write-ahead log and one lock file per name, so a second name would damage the store. */
export function requireOneName(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file?.isFile() || file.nlink === 1) return
  throw new RenError(
    'store-in-use',
    `the store at ${path} has ${file.nlink} names (hard links), and others may use it by another name; ` +
      'delete the other names, or copy the store with ren backup',
  )
}

/** Makes a new name in the folder of a file durable. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(resolve(path)), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
