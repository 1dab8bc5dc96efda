// A connection to a store's file: queries are prepared once, and whatever SQLite says of a failure is
// said in the store's words.

import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { SQLInputValue, StatementSync } from 'node:sqlite'

import { RenError } from '../../core/errors.ts'
import { asStoreError } from './failures.ts'

/** The text of a query; the rows that it gives are known to the compiler only. */
export interface Sql<Row> {
  readonly text: string
  readonly row?: Row
}

interface Prepared<Row> {
  all(...values: readonly SQLInputValue[]): Row[]
  first(...values: readonly SQLInputValue[]): Row | undefined
  /** How many rows it changed. */
  run(...values: readonly SQLInputValue[]): number
}

export interface DatabaseOptions {
  readonly readOnly: boolean
  /** Milliseconds to wait for others who write. */
  readonly patience: number
  /** True where nobody writes to it: then it is read without any file beside it. */
  readonly isFrozen?: boolean
}

/** A file that is not there is made, unless it is only to be read. */
export function openDatabase(path: string, options: DatabaseOptions): Database {
  requirePlace(path, options.readOnly)
  return new Database(path, options)
}

export class Database {
  readonly path: string
  readonly #patience: number
  readonly #connection: DatabaseSync

  constructor(path: string, options: DatabaseOptions) {
    this.path = path
    this.#patience = options.patience
    this.#connection = this.#attempt(() => connect(path, options))
  }

  prepare<Row>(query: Sql<Row>): Prepared<Row> {
    return this.#guarded(this.#statement(query))
  }

  /** As `prepare`, with rows as lists of values in the order of the columns: twice as fast. */
  prepareTuples<Tuple extends readonly unknown[]>(query: Sql<unknown>): Prepared<Tuple> {
    const statement = this.#statement(query)
    statement.setReturnArrays(true)
    return this.#guarded(statement)
  }

  exec(statements: string): void {
    this.#attempt(() => this.#connection.exec(statements))
  }

  /** A setting of SQLite that is a number. */
  pragma(name: string): number {
    const row = this.#attempt(() => this.#connection.prepare(`pragma ${name}`).get())
    return Number(Object.values(row ?? {})[0])
  }

  /** All of it is written, durably, or nothing; others wait meanwhile. */
  transaction<T>(body: () => T): T {
    this.exec('begin immediate')
    try {
      const result = body()
      this.exec('commit')
      return result
    } catch (error) {
      // SQLite has rolled back by itself after some failures, a full disk for instance.
      if (this.#connection.isTransaction) this.exec('rollback')
      throw error
    }
  }

  /** Whether all of the write-ahead log could be moved into the file. */
  settle(): boolean {
    const connection = this.#connection
    try {
      // Others who write are worth waiting for, but not a reader.
      connection.exec('pragma busy_timeout = 50')
      return connection.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0
    } catch {
      return false
    } finally {
      connection.exec(`pragma busy_timeout = ${this.#patience}`)
    }
  }

  /** What is wrong with the pages of the file; null where nothing is. */
  check(): string | null {
    const row = this.#attempt(() => this.#connection.prepare('pragma integrity_check(1)').get())
    return row?.['integrity_check'] === 'ok' ? null : String(row?.['integrity_check'])
  }

  close(): void {
    this.#connection.close()
  }

  #statement({ text }: Sql<unknown>): StatementSync {
    return this.#attempt(() => this.#connection.prepare(text))
  }

  #guarded<Row>(statement: StatementSync): Prepared<Row> {
    return {
      all: (...values) => this.#attempt(() => statement.all(...values) as unknown as Row[]),
      first: (...values) =>
        this.#attempt(() => statement.get(...values) as unknown as Row | undefined),
      run: (...values) => this.#attempt(() => Number(statement.run(...values).changes)),
    }
  }

  #attempt<T>(body: () => T): T {
    try {
      return body()
    } catch (error) {
      throw asStoreError(error, this.path)
    }
  }
}

/** A connection to a file. */
export function connect(path: string, options: DatabaseOptions): DatabaseSync {
  const { readOnly, patience, isFrozen = false } = options
  const address = isFrozen ? new URL(`${pathToFileURL(path).href}?immutable=1`) : path
  return new DatabaseSync(address, { readOnly, timeout: patience })
}

/** Refuses a file that is not there, or where it cannot be made. */
export function requirePlace(path: string, readOnly: boolean): void {
  const folder = dirname(resolve(path))
  if (readOnly ? existsSync(path) : existsSync(folder)) return
  const message = readOnly ? `there is no store at ${path}` : `there is no folder ${folder}`
  throw new RenError('store-missing', message)
}
