// What SQLite says of a failure, in words that an operator can act on.

import { RenError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'

// The lowest byte of a result code of SQLite says what happened, the rest where.
const meanings: Readonly<Record<number, readonly [code: ErrorCode, what: string]>> = {
  5: ['store-failed', 'another process has kept it locked for too long'],
  6: ['store-failed', 'another connection has kept it locked'],
  8: ['store-failed', 'it may not be written: the file, its folder or its disk is read-only'],
  10: ['store-failed', 'the disk could not be read or written'],
  11: ['store-damaged', 'its file is damaged'],
  13: ['store-failed', 'the disk is full, or the file is as large as it may be'],
  14: [
    'store-failed',
    'its file cannot be opened or made: it is a folder, or the right to it is missing',
  ],
  26: ['store-foreign', 'it is not a store, or the first page of its file is damaged'],
}

// A position or a row that must be new is there already: the head is behind the log.
const repeatedPosition = 1555

/** Whether somebody else has what was wanted. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5

/** Whether a store was found to be damaged. */
export const isDamage = (error: unknown): error is RenError =>
  error instanceof RenError && error.code === 'store-damaged'

/** A failure of SQLite as an error of the store; any other as it is. */
export function asStoreError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  const code = Number(error.errcode)
  const [meaning, what] = meanings[code & 0xff] ?? ['store-failed', 'SQLite failed']
  const message = `the store at ${path}: ${what} (SQLite: ${error.message}, code ${code})`
  const damaged = code === repeatedPosition
  return new RenError(damaged ? 'store-damaged' : meaning, message, { cause: error })
}
