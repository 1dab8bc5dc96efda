// The migrations of a schema, in order. Published migrations never change. They only add, so that an older
// version of the package can still use the schema, unless `needs` says otherwise.

import { RenError } from '../../core/errors.ts'
import type { Address } from './address.ts'
import type { Connection } from './connection.ts'
import { isForeign } from './failures.ts'

interface Migration {
  readonly name: string
  /** The oldest version of the package's migrations that may use the schema afterwards. */
  readonly needs: number
  /** @param compression The compression of payloads, since not every server has lz4. */
  readonly sql: (compression: string) => string
}

const migrations: readonly Migration[] = [
  {
    name: 'a log, its catalog, marks, keys and snapshots',
    needs: 1,
    // One row of log_head lives. An old snapshot of any session retains all its versions, which slows every
    // update, so every so often a new segment continues in a new row.
    sql: (compression) => `
      create table log_head (
        segment bigint primary key,
        head bigint not null,
        commits int not null,
        last_erasure bigint not null
      ) with (fillfactor = 10);
      insert into log_head values (1, 0, 0, 0);
      create table events (
        position bigint primary key,
        stamp bigint not null,
        id text collate "C",
        kind text not null,
        "user" text collate "C",
        recommendation text collate "C",
        merged text collate "C",
        time double precision,
        payload text ${compression} not null,
        checksum bigint not null
      );
      create unique index events_by_id on events (id) where id is not null;
      create index events_by_user on events ("user", position) where "user" is not null;
      create index events_by_recommendation on events (recommendation, position)
        where recommendation is not null;
      create index events_by_merged on events (merged, position) where merged is not null;
      create table items (
        item text collate "C" primary key, attributes text not null, position bigint not null
      );
      create table marks (name text collate "C" primary key, value text not null);
      create table keys (
        id text collate "C" primary key,
        name text not null,
        scopes text not null,
        hash text not null,
        created double precision not null,
        revoked double precision
      );
      create table snapshots (
        id bigint generated always as identity primary key,
        kind text not null,
        scope text collate "C" not null,
        position bigint not null,
        time double precision not null,
        about text not null,
        bytes bigint not null default 0,
        parts int not null default 0,
        stage text not null default 'begun'
      );
      create index snapshots_by_scope on snapshots (kind, scope);
      create table snapshot_pieces (
        snapshot bigint not null,
        part int not null,
        piece int not null,
        last boolean not null,
        bytes bytea not null,
        checksum bigint not null,
        primary key (snapshot, part, piece)
      );
      alter table snapshot_pieces alter column bytes set storage external;
    `,
  },
  {
    name: 'several services: a lease, announcements, and erased users until all services have applied it',
    // A version that knows one service only would restore changed rows as whole weights.
    needs: 2,
    sql: () => `
      create table lease (
        name text primary key, holder text not null, epoch bigint not null, expires timestamptz not null
      ) with (fillfactor = 10);
      create table services (
        id text collate "C" primary key,
        name text not null,
        position bigint not null,
        settings text not null,
        about text not null,
        joined timestamptz not null,
        seen timestamptz not null
      ) with (fillfactor = 50);
      create table erasures (
        position bigint primary key,
        users text not null,
        last_reused_merge bigint not null,
        time timestamptz not null default clock_timestamp()
      );
      alter table snapshots add column begun timestamptz not null default now();
    `,
  },
]

/** Serializes migrations: the class and the object of an advisory lock. */
const lock = `select pg_advisory_xact_lock(x'52454e31'::int, hashtext($1))`

/** Migrates the schema to the current version. Creates it if `create` is set; otherwise it must exist. */
export async function migrate(
  connection: Connection,
  address: Address,
  create: boolean,
): Promise<void> {
  const { schema } = address
  const [row] = await connection.query<[string | null, string]>(
    `select to_regclass($1)::text,
       case when exists (select from pg_settings where name = 'default_toast_compression'
         and 'lz4' = any(enumvals)) then 'compression lz4' else '' end`,
    [`${schema}.migrations`],
  )
  const [table, compression] = row!
  if (table === null && !create) throw missing(address)
  if (table !== null && (await versionOf(connection, address)) >= migrations.length) return
  try {
    await connection.transaction(() => runMigrations(connection, address, compression))
  } catch (error) {
    throw isForeign(error) ? foreign(address, error) : error
  }
}

async function runMigrations(
  connection: Connection,
  address: Address,
  compression: string,
): Promise<void> {
  const { schema } = address
  await connection.query(lock, [schema])
  const [exists] = await connection.query('select from pg_namespace where nspname = $1', [schema])
  // Creating a schema needs a permission that using an existing one does not.
  if (!exists) await connection.run(`create schema "${schema}"`)
  await connection.run(
    'create table if not exists migrations (number int primary key, name text not null, needs int not null)',
  )
  // Another process may have migrated the schema meanwhile.
  const version = await versionOf(connection, address)
  for (const [at, { name, needs, sql }] of migrations.entries()) {
    if (at < version) continue
    await connection.run(sql(compression))
    await connection.query('insert into migrations values ($1, $2, $3)', [at + 1, name, needs])
  }
}

/** Refuses a schema of others, and one that this version of the package must not use. */
async function versionOf(connection: Connection, address: Address): Promise<number> {
  const own = migrations.length
  try {
    const [row] = await connection.query<[number | null, number | null]>(
      'select max(number), max(needs) from migrations',
    )
    const [version, needs] = row!
    if ((needs ?? 0) <= own) return version ?? 0
    throw new RenError(
      'store-too-new',
      `the store at ${address.shown} has version ${version}, which needs version ${needs} of its readers; ` +
        `this version of the package supports versions up to ${own}`,
    )
  } catch (error) {
    throw isForeign(error) ? foreign(address, error) : error
  }
}

const foreign = ({ shown, schema }: Address, cause: unknown): RenError =>
  new RenError(
    'store-foreign',
    `the schema ${schema} of ${shown} has other tables with the names of those of a store; ` +
      'choose another schema',
    { cause },
  )

const missing = ({ shown, schema }: Address): RenError =>
  new RenError(
    'store-missing',
    `there is no store in the schema ${schema} of ${shown}; create one with ren serve or ren import`,
  )
