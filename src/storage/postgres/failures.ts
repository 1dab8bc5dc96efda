// Turns errors of PostgreSQL and of its connection into errors that an operator can act on.

import { RenError, type ErrorCode } from '../../core/errors.ts'
import type { Address } from './address.ts'

// By SQLSTATE, or by its class.
const meanings: Readonly<Record<string, readonly [code: ErrorCode, what: string]>> = {
  '08': ['store-failed', 'the connection was lost'],
  '28': ['store-failed', 'PostgreSQL refuses the user or the password'],
  '3D': ['store-missing', 'the database does not exist'],
  '23505': ['store-damaged', 'the head of the log is behind its events'],
  '25006': ['store-failed', 'the server is read-only, as a standby is'],
  '42501': ['store-failed', 'the user lacks a permission'],
  '53': ['store-failed', 'the server lacks a resource'],
  '53100': ['store-failed', 'the disk is full'],
  '53300': ['store-failed', 'the server has too many connections'],
  '55P03': ['store-failed', 'another session has locked it for too long'],
  '57P': ['store-failed', 'the server shuts down, or an administrator ended the connection'],
  XX001: ['store-damaged', 'a page of the database is damaged'],
  XX002: ['store-damaged', 'an index of the database is damaged'],
}

const ofSystem: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ENOENT: 'there is no server at this socket',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the name of the host cannot be resolved',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ETIMEDOUT: 'the server does not answer',
}

/** The SQLSTATE or the code of the operating system; empty if there is none. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Whether the server refused a statement, so that the statement and its transaction have no effect. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof RenError ||
  (error instanceof Error && 'severity' in error && !/^(?:57P|08)/.test(codeOf(error)))

/** Whether the same transaction may succeed now: two sessions had the same id, or waited for each other. */
export const isRace = (error: unknown): boolean =>
  ['40001', '40P01', '55P03'].includes(codeOf(error)) ||
  (error instanceof Error && 'constraint' in error && error.constraint === 'events_by_id')

/** Whether a table or a column does not exist, or exists already. */
export const isForeign = (error: unknown): boolean =>
  ['42P01', '42703', '42P07', '42710'].includes(codeOf(error))

/** Converts an error of PostgreSQL or its connection; returns other errors unchanged. */
export function asStoreError(error: unknown, { shown }: Address): unknown {
  if (error instanceof RenError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const known = meanings[code] ?? meanings[code.slice(0, 3)] ?? meanings[code.slice(0, 2)]
  const [meaning, what] = known ?? ['store-failed', ofSystem[code] ?? 'PostgreSQL failed']
  const detail = [error.message, code].filter((text) => text !== '').join(', ')
  return new RenError(meaning, `the store at ${shown}: ${what} (${detail})`, { cause: error })
}

/** The error of a write that may or may not have taken effect. */
export function unknownOutcome(cause: unknown, { shown }: Address): RenError {
  const message =
    `the store at ${shown}: the connection was lost before the server confirmed the write, so it may or ` +
    'may not have taken effect; repeat events with the same ids'
  return new RenError('outcome-unknown', message, { cause })
}
