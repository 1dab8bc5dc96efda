// The migrations of a store's file, in order. Published migrations never change; new versions of the
// package append to the list. Opening an older file for writing migrates it.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'
import type { Database } from './database.ts'
import { damagedEnds, setIdentity } from './log-ends.ts'
import { checksumOf, isIntact, itemChecksum } from './rows.ts'

interface Migration {
  readonly name: string
  readonly run: (database: Database) => void
}

const migrations: readonly Migration[] = [
  {
    name: 'a log, its catalogue, marks, keys and snapshots',
    run: (database) =>
      database.exec(`
      create table log (
        head integer not null, forgotten integer not null, checksum integer not null
      );
      insert into log values (0, 0, ${endsChecksum(0, 0)});
      create table events (
        position integer primary key,
        id text,
        kind text not null,
        user text,
        recommendation text,
        merged text,
        time real,
        payload text not null,
        checksum integer not null
      );
      create unique index events_by_id on events (id) where id is not null;
      create index events_by_user on events (user) where user is not null;
      create index events_by_recommendation on events (recommendation)
        where recommendation is not null;
      create index events_by_merged on events (merged) where merged is not null;
      create table items (
        item text primary key, attributes text not null, position integer not null
      ) without rowid;
      create table marks (name text primary key, value text not null) without rowid;
      create table keys (
        id text primary key,
        name text not null,
        scopes text not null,
        hash text not null,
        created real not null,
        revoked real
      );
      create table snapshots (
        id integer primary key autoincrement,
        kind text not null,
        scope text not null,
        position integer not null,
        time real not null,
        about text not null,
        bytes integer not null,
        parts integer not null,
        stage text not null
      );
      create index snapshots_by_scope on snapshots (kind, scope);
      create table snapshot_pieces (
        snapshot integer not null,
        part integer not null,
        piece integer not null,
        last integer not null,
        bytes blob not null,
        checksum integer not null
      );
      create unique index snapshot_pieces_in_order on snapshot_pieces (snapshot, part, piece);
    `),
  },
  {
    name: 'one event language',
    run(database) {
      database.exec(`
        alter table log rename column forgotten to last_erasure;
        update snapshots set stage = 'listed' where stage = 'told';
      `)
      rewriteEvents(database)
    },
  },
  {
    name: 'checksums of items, the number of commits, and an identity',
    run(database) {
      requireEnds(database)
      database.exec(`
        alter table log add column commits integer not null default 0;
        alter table log add column identity text not null default '';
        alter table items add column checksum integer;
      `)
      const { head, lastErasure } = selectEnds(database)!
      setIdentity(database, { head, lastErasure, commits: 0 })
      addItemChecksums(database)
    },
  },
]

/** The checksum of the log row until version 2. */
const endsChecksum = (head: Position, lastErasure: Position): number =>
  crc32(`${head} ${lastErasure}`)

const selectEnds = (database: Database) =>
  database
    .prepare<{ head: Position; lastErasure: Position; checksum: number }>(
      'select head, last_erasure as lastErasure, checksum from log',
    )
    .first()

/** A new checksum must not hide earlier damage. */
function requireEnds(database: Database): void {
  const row = selectEnds(database)
  if (!row || row.checksum !== endsChecksum(row.head, row.lastErasure)) throw damagedEnds(database)
}

/** Rows with damaged attributes get no checksum, so that reading reports them. */
function addItemChecksums(database: Database): void {
  const items = database.prepareTuples<readonly [string, string, Position]>(
    'select item, attributes, position from items',
  )
  const update = database.prepare('update items set checksum = ? where item = ?')
  for (const [item, attributes, position] of items.all()) {
    if (isJson(attributes)) update.run(itemChecksum(item, attributes, position), item)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

type OldEvent = Readonly<Record<string, unknown>> & { readonly kind: string }

/** Event kinds of version 1 that were renamed. */
const renamedKinds: Readonly<Record<string, string>> = {
  served: 'recommendation',
  feedback: 'interaction',
  seen: 'impressions',
  'user-forgotten': 'user-erased',
}

/** An event of version 1 in the current language. */
function upgradeEvent({ kind, arm, takes, ...event }: OldEvent): OldEvent {
  return {
    kind: renamedKinds[kind] ?? kind,
    ...event,
    ...(arm !== undefined && { variant: arm }),
    ...(takes !== undefined && { interactions: takes }),
  }
}

/** Events in memory at once. */
const batchSize = 1000

/** Rewrites every intact event. Damaged rows stay unchanged, so that reading still reports them. */
function rewriteEvents(database: Database): void {
  const read = database.prepareTuples<
    readonly [position: Position, id: string | null, payload: string, checksum: number]
  >(
    `select position, id, payload, checksum from events
     where position > ? order by position limit ${batchSize}`,
  )
  const write = database.prepare(
    'update events set kind = ?, payload = ?, checksum = ? where position = ?',
  )
  let last = 0
  for (let rows = read.all(last); rows.length > 0; rows = read.all(last)) {
    for (const row of rows) {
      last = row[0]
      if (!isIntact(...row)) continue
      const [position, id, payload] = row
      const event = upgradeEvent(JSON.parse(payload) as OldEvent)
      const text = JSON.stringify(event)
      write.run(event.kind, text, checksumOf(position, id, text), position)
    }
  }
}

/** The `application_id` of SQLite files that are stores: "REN1". */
const applicationId = 0x52454e31

export const isCurrent = (database: Database): boolean => versionOf(database) === migrations.length

/** Migrates a file to the current version, or initializes an empty one. */
export function migrate(database: Database): void {
  if (isCurrent(database)) return
  database.transaction(() => {
    // Checks again inside the transaction: another process may have migrated the file.
    const version = versionOf(database)
    if (version === 0) {
      database.exec(`pragma application_id = ${applicationId}`)
      database.exec('create table migrations (number integer primary key, name text not null)')
    }
    const insert = database.prepare('insert into migrations values (?, ?)')
    for (const [at, { name, run }] of migrations.entries()) {
      if (at < version) continue
      run(database)
      insert.run(at + 1, name)
    }
  })
}

/** Refuses an empty file, and one of an earlier version, which only a writer can migrate. */
export function requireCurrent(database: Database): void {
  const version = versionOf(database)
  if (version === 0) throw new RenError('store-missing', `${database.path} is empty`)
  if (version === migrations.length) return
  throw new RenError(
    'store-too-old',
    `${database.path} is a store of version ${version}; ren serve, or another command that ` +
      `writes to it, migrates it to version ${migrations.length}`,
  )
}

/** The version of a store; 0 if the file is empty. Refuses files that this package cannot read. */
export function versionOf(database: Database): number {
  const { path } = database
  const owner = database.pragma('application_id')
  if (owner !== applicationId) {
    if (owner === 0 && database.pragma('schema_version') === 0) return 0
    throw new RenError('store-foreign', `${path} is a database, but not a store of this package`)
  }
  const highest = database.prepare<{ version: number | null }>(
    'select max(number) as version from migrations',
  )
  const version = highest.first()?.version ?? 0
  if (version <= migrations.length) return version
  const message =
    `${path} is a store of version ${version}; ` +
    `this version of the package supports versions up to ${migrations.length}`
  throw new RenError('store-too-new', message)
}
