// The row with the ends of the log, which all writers update.

import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'
import type { Database } from './database.ts'

/** It has a checksum, since a wrong bit would hide events. */
export interface LogEnds {
  /** The position of the last event. */
  readonly head: Position
  /** The position of the last `user-erased` event. */
  readonly lastErasure: Position
  /** The number of transactions of all writers. */
  readonly commits: number
  /** Random; differs between a store and its backups. */
  readonly identity: string
}

const checksumOf = ({ head, lastErasure, commits, identity }: LogEnds): number =>
  crc32(`${head} ${lastErasure} ${commits} ${identity}`)

export function prepareEnds(database: Database): () => LogEnds {
  const log = database.prepare<LogEnds & { readonly checksum: number }>(
    'select head, last_erasure as lastErasure, commits, identity, checksum from log',
  )
  return () => {
    const row = log.first()
    if (row && checksumOf(row) === row.checksum) return row
    throw damagedEnds(database)
  }
}

export const damagedEnds = ({ path }: Database): RenError =>
  new RenError('store-damaged', `the head of the log in ${path} is damaged`)

function prepareSetEnds(database: Database): (ends: LogEnds) => void {
  const update = database.prepare(
    'update log set head = ?, last_erasure = ?, commits = ?, identity = ?, checksum = ?',
  )
  return (ends) => {
    const { head, lastErasure, commits, identity } = ends
    update.run(head, lastErasure, commits, identity, checksumOf(ends))
  }
}

/** Gives a new store, or a copy, an identity of its own: a copy may end before the last commit of its original. */
export function setIdentity(
  database: Database,
  ends: Omit<LogEnds, 'identity'> = prepareEnds(database)(),
): void {
  prepareSetEnds(database)({ ...ends, identity: randomBytes(12).toString('hex') })
}

/** Runs transactions that may move the ends, which it reads and writes once per transaction. */
export class LogTransactions {
  /** The ends within the current transaction. */
  ends: LogEnds
  readonly #database: Database
  readonly #read: () => LogEnds
  readonly #write: (ends: LogEnds) => void
  readonly #changes: () => number

  constructor(database: Database) {
    this.#database = database
    this.#read = prepareEnds(database)
    this.#write = prepareSetEnds(database)
    const total = database.prepare<{ changes: number }>('select total_changes() as changes')
    this.#changes = () => total.first()!.changes
    this.ends = this.#read()
  }

  /** Commits durably. `commit` is null if the transaction has changed nothing. */
  run<T>(body: () => T): { readonly result: T; readonly commit: LogEnds | null } {
    return this.#database.transaction(() => {
      this.ends = this.#read()
      const before = this.#changes()
      const result = body()
      if (this.#changes() === before) return { result, commit: null }
      const commit = { ...this.ends, commits: this.ends.commits + 1 }
      this.#write(commit)
      return { result, commit }
    })
  }
}
