// A store in a schema of a PostgreSQL database. For now, one service can use a schema at a time.

import { RenError, invalid } from '../../core/errors.ts'
import { createPending } from '../../core/pending.ts'
import type { EventStore, StoredKey } from '../event-store.ts'
import { prepareEvents, prepareNamed } from '../log-event.ts'
import type { StoreOptions } from '../open-store.ts'
import { requireNewKey } from '../refusals.ts'
import { parseAddress, withoutSchema, type Address } from './address.ts'
import { withConnection } from './connection.ts'
import { migrate } from './migrations.ts'
import { Pool } from './pool.ts'
import { logReads, readLimits, tableReads } from './reader.ts'
import { createSnapshotReader, createSnapshotWriter, sweep } from './snapshots.ts'
import { Writer } from './writer.ts'

export interface PostgresOptions extends StoreOptions {
  /** Milliseconds to wait for an answer, and to repeat a write after a failure. Defaults to 5 seconds. */
  readonly patience?: number
}

const readConnections = 4

/**
 * Opens a store in a PostgreSQL database. The address may name a schema with `?schema=name`, which defaults to
 * `ren`. The password may be in the address, in `PGPASSWORD` or in `~/.pgpass`.
 */
export async function openPostgresStore(
  location: string,
  { create = true, patience = 5000 }: PostgresOptions = {},
): Promise<EventStore> {
  const address = parseAddress(location)
  await withConnection(address, readLimits, (connection) => migrate(connection, address, create))
  const limits = { connectMs: patience, queryMs: patience }
  return join(
    location,
    address,
    new Writer(address, limits, patience),
    new Pool(address, readLimits, readConnections),
  )
}

function join(location: string, address: Address, writer: Writer, pool: Pool): EventStore {
  const pending = createPending()
  let closing: Promise<void> | null = null
  const requireOpen = (): void => {
    if (closing) throw new RenError('store-closed', `the store at ${address.shown} is closed`)
  }
  const begin: Begin = async (work) => {
    requireOpen()
    return pending.track(work)
  }
  const { head, readUpTo } = logReads(pool)
  const { readSnapshot, ...snapshots } = createSnapshotReader(pool)
  return {
    location: address.shown,
    readerLocation: location,
    ...guarded({ ...tableReads(pool), ...snapshots, ...createSnapshotWriter(pool) }, begin),
    ...keyWrites(pool, begin),
    head: () => begin(head),
    read: (after, options = {}) =>
      readUpTo(after, options, () => begin(() => writer.beforeNextWrite(head))),
    async *readSnapshot(id) {
      requireOpen()
      yield* readSnapshot(id)
    },
    ...logWrites(writer, begin, () => void pending.track(() => sweep(pool)).catch(() => {})),
    size: () => begin(async () => ({ bytes: await bytesOf(pool, address), events: await head() })),
    backup: () => begin(async () => refuseBackup(address)),
    close: () =>
      (closing ??= (async () => {
        await pending.settled()
        await writer.close()
        await pool.close()
      })()),
  }
}

/** Runs a call that `close` waits for; rejects after `close` was called. */
type Begin = <T>(work: () => Promise<T>) => Promise<T>

type Calls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

/** The calls, each run by `begin`. */
const guarded = <T extends Calls>(calls: T, begin: Begin): T =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (...args: never[]) => begin(() => call(...args)),
    ]),
  ) as T

/** @param tidy Deletes the bytes of dropped snapshots in the background, at the latest when the store closes. */
const logWrites = (writer: Writer, begin: Begin, tidy: () => void) =>
  ({
    append: (events, mark) =>
      begin(async () =>
        writer.append(prepareEvents(events), mark ? prepareNamed(mark, 'mark', 'name') : null),
      ),
    eraseUser: (request) =>
      begin(async () => {
        const erasure = await writer.eraseUser(request)
        tidy()
        return erasure
      }),
    claim: () =>
      begin(async () => {
        await writer.claim()
        tidy()
      }),
  }) satisfies Partial<EventStore>

const keyWrites = (pool: Pool, begin: Begin) =>
  ({
    addKey: (given) =>
      begin(async () => {
        const key = prepareNamed(given, 'key', 'id')
        requireNewKey(!(await insertKey(pool, key)), key)
      }),
    revokeKey: (id, time) =>
      begin(async () => {
        const rows = await pool.query(
          'update keys set revoked = $1 where id = $2 and revoked is null returning id',
          [time, id],
        )
        return rows.length === 1
      }),
  }) satisfies Partial<EventStore>

/** Returns false if the id is known. */
async function insertKey(pool: Pool, key: StoredKey): Promise<boolean> {
  const { id, name, scopes, hash, created, revoked } = key
  const rows = await pool.query(
    'insert into keys values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing returning id',
    [id, name, JSON.stringify(scopes), hash, created, revoked],
  )
  return rows.length === 1
}

async function bytesOf(pool: Pool, { schema }: Address): Promise<number> {
  const [row] = await pool.query<[number]>(
    `select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
     where relnamespace = to_regnamespace($1) and relkind = 'r'`,
    [schema],
  )
  return row![0]
}

function refuseBackup({ shown, schema }: Address): never {
  throw invalid(`PostgreSQL backs up its databases itself: ${backupCommand(shown, schema)}`)
}

const backupCommand = (shown: string, schema: string): string =>
  `pg_dump --format=custom --schema=${schema} --file=ren.dump '${withoutSchema(shown)}'`
