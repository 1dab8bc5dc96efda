// A connection to a SQLite file, with prepared queries and errors of the store.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

import { asStoreError } from './failures.ts'
import { requirePlace } from './place.ts'

interface Prepared<Row> {
  all(...values: readonly SQLInputValue[]): Row[]
  first(...values: readonly SQLInputValue[]): Row | undefined
  /** Returns the number of changed rows. */
  run(...values: readonly SQLInputValue[]): number
}

export interface DatabaseOptions {
  readonly readOnly: boolean
  /** Milliseconds to wait for other writers. */
  readonly patience: number
  /** Whether no process writes to the file. It is then read without creating files next to it. */
  readonly isFrozen?: boolean
}

/** Creates the file if it does not exist, unless the connection is read-only. */
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

  /** @param sql A query, whose rows are of the type `Row`. Values are bound in the order of the `?`. */
  prepare<Row>(sql: string): Prepared<Row> {
    return this.#guarded(this.#statement(sql))
  }

  /** Like `prepare`, but with rows as tuples in column order, which is twice as fast. */
  prepareTuples<Tuple extends readonly unknown[]>(sql: string): Prepared<Tuple> {
    const statement = this.#statement(sql)
    statement.setReturnArrays(true)
    return this.#guarded(statement)
  }

  exec(statements: string): void {
    this.#attempt(() => this.#connection.exec(statements))
  }

  /** Reads a numeric pragma. */
  pragma(name: string): number {
    const row = this.#attempt(() => this.#connection.prepare(`pragma ${name}`).get())
    return Number(Object.values(row ?? {})[0])
  }

  /** The size of all pages. */
  bytes(): number {
    return this.pragma('page_count') * this.pragma('page_size')
  }

  /** Commits everything durably, or nothing. Other writers wait meanwhile. */
  transaction<T>(body: () => T): T {
    this.exec('begin immediate')
    try {
      const result = body()
      this.exec('commit')
      return result
    } catch (error) {
      // After some failures, such as a full disk, SQLite has already rolled back.
      if (this.#connection.isTransaction) this.exec('rollback')
      throw error
    }
  }

  /** Moves the write-ahead log into the file. Returns false if that was not completely possible. */
  settle(): boolean {
    const connection = this.#connection
    try {
      // A short timeout, since readers may hold the log for long.
      connection.exec('pragma busy_timeout = 50')
      return connection.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0
    } catch {
      return false
    } finally {
      connection.exec(`pragma busy_timeout = ${this.#patience}`)
    }
  }

  /** Checks the integrity of the file. Returns the first problem, or null. */
  check(): string | null {
    const row = this.#attempt(() => this.#connection.prepare('pragma integrity_check(1)').get())
    return row?.['integrity_check'] === 'ok' ? null : String(row?.['integrity_check'])
  }

  close(): void {
    this.#connection.close()
  }

  #statement(sql: string): StatementSync {
    return this.#attempt(() => this.#connection.prepare(sql))
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

export function connect(path: string, options: DatabaseOptions): DatabaseSync {
  const { readOnly, patience, isFrozen = false } = options
  const address = isFrozen ? new URL(`${pathToFileURL(path).href}?immutable=1`) : path
  return new DatabaseSync(address, { readOnly, timeout: patience })
}
