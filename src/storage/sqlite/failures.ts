// Turns errors of SQLite into errors that an operator can act on.

import { RenError, type ErrorCode } from '../../core/errors.ts'

// By the lowest byte of the result code, which is the class of the error.
const meanings: Readonly<Record<number, readonly [code: ErrorCode, what: string]>> = {
  5: ['store-failed', 'another process has locked it for too long'],
  6: ['store-failed', 'another connection has locked it'],
  8: ['store-failed', 'the file, its folder or its disk is read-only'],
  10: ['store-failed', 'the disk could not be read or written'],
  11: ['store-damaged', 'the file is damaged'],
  13: ['store-failed', 'the disk is full, or the file has its maximum size'],
  14: ['store-failed', 'the file cannot be opened: it is a folder, or permissions are missing'],
  26: ['store-foreign', 'it is not a store, or the first page of its file is damaged'],
}

// A primary key is repeated, because the stored head is behind the log.
const repeatedPosition = 1555

/** Whether another connection has a lock. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5

export const isDamage = (error: unknown): error is RenError =>
  error instanceof RenError && error.code === 'store-damaged'

/** Converts an error of SQLite; returns other errors unchanged. */
export function asStoreError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  const code = Number(error.errcode)
  const [meaning, what] = meanings[code & 0xff] ?? ['store-failed', 'SQLite failed']
  const message = `the store at ${path}: ${what} (SQLite: ${error.message}, code ${code})`
  const damaged = code === repeatedPosition
  return new RenError(damaged ? 'store-damaged' : meaning, message, { cause: error })
}
