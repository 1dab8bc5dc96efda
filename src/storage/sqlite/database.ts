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

export interface Database {
  readonly path: string
  prepare<Row>(query: Sql<Row>): Prepared<Row>
  /** As `prepare`, with rows as lists of values in the order of the columns: twice as fast. */
  prepareTuples<Tuple extends readonly unknown[]>(query: Sql<unknown>): Prepared<Tuple>
  exec(statements: string): void
  /** A setting of SQLite that is a number. */
  pragma(name: string): number
  /** All of it is written, durably, or nothing; others wait meanwhile. */
  transaction<T>(body: () => T): T
  /** Whether all of the write-ahead log could be moved into the file. */
  settle(): boolean
  /** What is wrong with the pages of the file; null where nothing is. */
  check(): string | null
  close(): void
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
  const { readOnly, patience } = options
  requirePlace(path, readOnly)
  const attempt = <T>(body: () => T): T => {
    try {
      return body()
    } catch (error) {
      throw asStoreError(error, path)
    }
  }
  const connection = attempt(() => connect(path, options))
  const exec = (statements: string): void => attempt(() => connection.exec(statements))
  const prepare = ({ text }: Sql<unknown>): StatementSync => attempt(() => connection.prepare(text))
  return {
    path,
    prepare: <Row>(query: Sql<Row>) => guarded<Row>(prepare(query), attempt),
    prepareTuples<Tuple extends readonly unknown[]>(query: Sql<unknown>) {
      const statement = prepare(query)
      statement.setReturnArrays(true)
      return guarded<Tuple>(statement, attempt)
    },
    exec,
    pragma: (name) =>
      attempt(() => Number(Object.values(connection.prepare(`pragma ${name}`).get() ?? {})[0])),
    transaction(body) {
      exec('begin immediate')
      try {
        const result = body()
        exec('commit')
        return result
      } catch (error) {
        // SQLite has rolled back by itself after some failures, a full disk for instance.
        if (connection.isTransaction) exec('rollback')
        throw error
      }
    },
    settle() {
      try {
        // Others who write are worth waiting for, but not a reader.
        connection.exec('pragma busy_timeout = 50')
        return connection.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0
      } catch {
        return false
      } finally {
        connection.exec(`pragma busy_timeout = ${patience}`)
      }
    },
    check: () =>
      attempt(() => {
        const [row] = connection.prepare('pragma integrity_check(1)').all()
        return row?.['integrity_check'] === 'ok' ? null : String(row?.['integrity_check'])
      }),
    close: () => connection.close(),
  }
}

/** A connection to a file. */
export function connect(path: string, options: DatabaseOptions): DatabaseSync {
  const { readOnly, patience, isFrozen = false } = options
  const address = isFrozen ? new URL(`${pathToFileURL(path).href}?immutable=1`) : path
  return new DatabaseSync(address, { readOnly, timeout: patience })
}

function guarded<Row>(statement: StatementSync, attempt: <T>(body: () => T) => T): Prepared<Row> {
  return {
    all: (...values) => attempt(() => statement.all(...values) as unknown as Row[]),
    first: (...values) => attempt(() => statement.get(...values) as unknown as Row | undefined),
    run: (...values) => attempt(() => Number(statement.run(...values).changes)),
  }
}

/** Refuses a file that is not there, or where it cannot be made. */
export function requirePlace(path: string, readOnly: boolean): void {
  const folder = dirname(resolve(path))
  if (readOnly ? existsSync(path) : existsSync(folder)) return
  const message = readOnly ? `there is no store at ${path}` : `there is no folder ${folder}`
  throw new RenError('store-missing', message)
}
