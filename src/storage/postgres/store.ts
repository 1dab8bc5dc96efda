// A store in a schema of a PostgreSQL database, which several services can share.

import { RenError, invalid } from '../../core/errors.ts'
import { createPending } from '../../core/pending.ts'
import type { EventStore, SharedStore, StoredKey } from '../event-store.ts'
import { prepareEvents, prepareNamed, type WeightsPublishedEvent } from '../log-event.ts'
import type { StoreOptions } from '../open-store.ts'
import { requireNewKey } from '../refusals.ts'
import { parseAddress, withoutSchema, type Address } from './address.ts'
import { withConnection } from './connection.ts'
import { Listener } from './listener.ts'
import { migrate } from './migrations.ts'
import { Places } from './places.ts'
import { Pool } from './pool.ts'
import { logReads, readLimits, tableReads } from './reader.ts'
import { createSharing } from './sharing.ts'
import {
  createSnapshotReader,
  createSnapshotWriter,
  dropUnfinished,
  orDrop,
  sweep,
  writeParts,
} from './snapshots.ts'
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
  const places = new Places()
  const listener = new Listener(address, limits)
  const writer = new Writer(address, limits, patience, places, () => listener.notify())
  return join(location, {
    address,
    writer,
    pool: new Pool(address, readLimits, readConnections),
    heartbeat: new Pool(address, limits, 1),
    places,
    listener,
  })
}

interface Parts {
  readonly address: Address
  readonly writer: Writer
  readonly pool: Pool
  /** For announcements and the lease, which must not wait for other calls. */
  readonly heartbeat: Pool
  readonly places: Places
  readonly listener: Listener
}

function join(location: string, parts: Parts): EventStore {
  const { address, writer, pool, heartbeat, places, listener } = parts
  const pending = createPending()
  let closing: Promise<void> | null = null
  const requireOpen = (): void => {
    if (closing) throw new RenError('store-closed', `the store at ${address.shown} is closed`)
  }
  const begin: Begin = async (work) => {
    requireOpen()
    return pending.track(work)
  }
  const { head, readUpTo } = logReads(pool, places)
  const { readSnapshot, ...snapshots } = createSnapshotReader(pool)
  return {
    location: address.shown,
    readerLocation: location,
    ...guarded({ ...tableReads(pool), ...snapshots, ...createSnapshotWriter(pool, places) }, begin),
    ...keyWrites(pool, begin),
    head: () => begin(head),
    read: (after, options = {}) =>
      readUpTo(after, options, () => begin(() => writer.beforeNextWrite(head))),
    async *readSnapshot(id) {
      requireOpen()
      yield* readSnapshot(id)
    },
    ...logWrites(writer, begin, pool, () => void pending.track(() => sweep(pool)).catch(() => {})),
    shared: {
      watch: (call) => listener.add(call),
      ...guarded({ ...createSharing(heartbeat, address), ...createPublish(pool, writer) }, begin),
    },
    size: () => begin(async () => ({ bytes: await bytesOf(pool, address), events: await head() })),
    backup: () => begin(async () => refuseBackup(address)),
    close: () => (closing ??= pending.settled().then(() => closeAll(parts))),
  }
}

async function closeAll({ listener, writer, pool, heartbeat }: Parts): Promise<void> {
  await listener.close()
  await writer.close()
  await pool.close()
  await heartbeat.close()
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
const logWrites = (writer: Writer, begin: Begin, pool: Pool, tidy: () => void) =>
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
    claim: (alone = false) =>
      begin(async () => {
        await writer.claim(alone ? 'alone' : 'shared')
        await dropUnfinished(pool)
      }),
  }) satisfies Partial<EventStore>

const createPublish = (pool: Pool, writer: Writer) =>
  ({
    async publish(lease, weights, parts) {
      const written = await writeParts(pool, weights, parts)
      const { id, bytes, about } = written
      const event: WeightsPublishedEvent = {
        kind: 'weights-published',
        time: weights.time,
        group: weights.scope,
        snapshot: { id, position: weights.position, bytes, about: JSON.parse(about) },
      }
      return orDrop(pool, id, () => writer.publish({ lease, event, parts: written.parts }))
    },
  }) satisfies Partial<SharedStore>

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
