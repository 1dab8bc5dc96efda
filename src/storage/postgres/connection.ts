// A connection to PostgreSQL with the settings of a store. It runs one call at a time, and does not keep the
// process alive while it is idle.

import type { Socket } from 'node:net'
import type { Client } from 'pg'

import { invalid, RenError } from '../../core/errors.ts'
import type { Address } from './address.ts'
import { asStoreError, isRefusal } from './failures.ts'

/** Identifies a session of the server, since process ids are reused. */
export interface Session {
  readonly pid: number
  readonly started: string
}

/** Milliseconds to wait for the server. */
export interface Limits {
  readonly connectMs: number
  /** For one statement. */
  readonly queryMs: number
}

/** PostgreSQL 15. */
const oldestServer = 150_000

/** Why the server cannot have a store; null if it can. */
const unsuitable = `select case
  when current_setting('server_version_num')::int < ${oldestServer}
    then 'PostgreSQL 15 or newer is needed, the server is ' || current_setting('server_version')
  when current_setting('server_encoding') <> 'UTF8'
    then 'the encoding of the database must be UTF8, it is ' || current_setting('server_encoding')
  end`

// Plans for empty tables would scan them when they have grown: no scans of whole tables, and then no compiled
// plans, since their estimated costs are high. Keepalives end the session of a machine that died, which may
// have the claim.
const settingsOf = (schema: string): string => `
  set search_path to "${schema}"; set client_encoding to 'UTF8'; set jit to off;
  set enable_seqscan to off; set plan_cache_mode to force_generic_plan; set lock_timeout to '2s';
  set idle_in_transaction_session_timeout to '10s';
  set tcp_keepalives_idle to 10; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 3;
  select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') = 'off'`

/** Names of prepared statements by their text. */
const names = new Map<string, string>()

const nameOf = (sql: string): string => {
  const name = names.get(sql) ?? `ren ${names.size}`
  names.set(sql, name)
  return name
}

export class Connection {
  readonly #client: Client
  readonly #limits: Limits
  #lost: Error | null = null
  #onLost = (): void => {}
  session: Session = { pid: 0, started: '' }

  constructor(client: Client, limits: Limits) {
    this.#client = client
    this.#limits = limits
    client.on('error', (error) => this.#lose(error))
    client.on('end', () => this.#lose(new Error('the connection ended')))
  }

  get isLost(): boolean {
    return this.#lost !== null
  }

  /** `listener` is called once when the connection is lost, also while it is idle. */
  whenLost(listener: () => void): void {
    this.#onLost = listener
  }

  /** `listener` is called for each notification of another session. */
  whenNotified(listener: () => void): void {
    this.#client.on('notification', ({ processId }) => {
      if (processId !== this.session.pid) listener()
    })
  }

  /** Runs a prepared statement. Rows are tuples in column order. */
  query<Row extends readonly unknown[]>(
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const query = { name: nameOf(sql), text: sql, values: [...values], rowMode: 'array' as const }
    return this.#limited(async () => (await this.#client.query<Row>(query)).rows)
  }

  /** Runs statements without values, which do not return rows. */
  async run(sql: string): Promise<void> {
    await this.#limited(() => this.#client.query(sql))
  }

  /** Commits everything, or nothing. */
  async transaction<T>(body: () => Promise<T>): Promise<T> {
    await this.run('begin')
    try {
      const result = await body()
      await this.run('commit')
      return result
    } catch (error) {
      if (!this.isLost) await this.run('rollback').catch(() => this.destroy())
      throw error
    }
  }

  /** Ends the connection at once; a call that waits fails. */
  destroy(): void {
    this.#socket().destroy()
    this.#lose(new Error('the connection was closed'))
  }

  async close(): Promise<void> {
    this.#onLost = () => {}
    if (this.isLost) return
    this.#socket().ref()
    await this.#client.end().catch(() => {})
  }

  /** Destroys the connection if the server does not answer in time: it is useless from then on. */
  async #limited<T>(body: () => Promise<T>): Promise<T> {
    if (this.#lost !== null) throw this.#lost
    this.#socket().ref()
    const { queryMs } = this.#limits
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.destroy()
    }, queryMs)
    try {
      return await body()
    } catch (error) {
      // Without an answer of the server, the state of the session is unknown.
      if (!isRefusal(error)) this.destroy()
      throw isLate ? new Error(`no answer within ${queryMs} ms`, { cause: error }) : error
    } finally {
      clearTimeout(timer)
      if (!this.isLost) this.#socket().unref()
    }
  }

  /** With TLS, the connection replaces its first socket. */
  #socket(): Socket {
    return this.#client.connection.stream as Socket
  }

  #lose(error: Error): void {
    if (this.#lost !== null) return
    this.#lost = error
    this.#onLost()
  }
}

/** Rejects with an error of `pg` or of the operating system if the server cannot be reached. */
export async function connect(address: Address, limits: Limits): Promise<Connection> {
  const client = await createClient(address, limits)
  const connection = new Connection(client, limits)
  try {
    await client.connect()
    const [[reason] = [null]] = await connection.query<[string | null]>(unsuitable)
    if (reason !== null) throw new RenError('unsupported-platform', `${address.shown}: ${reason}`)
    await connection.run(settingsOf(address.schema))
    const [row] = await connection.query<[number, string]>(
      'select pid, extract(epoch from backend_start)::text from pg_stat_activity where pid = pg_backend_pid()',
    )
    connection.session = { pid: row![0], started: row![1] }
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

async function createClient(address: Address, { connectMs }: Limits): Promise<Client> {
  const pg = await loadDriver()
  try {
    return new pg.Client({
      connectionString: address.connection,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      fallback_application_name: 'ren',
      // Positions, counts and stamps are below 2^53.
      types: {
        getTypeParser: (type, format) =>
          type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
      },
    })
  } catch {
    // The error of the parser is no cause, since it contains the address.
    throw invalid(`expected an address postgres://user@host/database, got ${address.shown}`)
  }
}

async function loadDriver() {
  try {
    return await import('pg')
  } catch (cause) {
    const message = 'a PostgreSQL store needs the package pg: install it with npm install pg'
    throw new RenError('unsupported-platform', message, { cause })
  }
}

/** Runs `body` on a connection of its own. */
export async function withConnection<T>(
  address: Address,
  limits: Limits,
  body: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    const connection = await connect(address, limits)
    return await body(connection).finally(() => connection.close())
  } catch (error) {
    throw asStoreError(error, address)
  }
}
