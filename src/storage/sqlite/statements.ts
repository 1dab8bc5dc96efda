// Everything that is asked of a store's file. The queries are built once, here; what runs them gets
// their text, so that the thread that writes need not load the builder.

import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Compilable } from 'kysely'

import type { Sql } from './database.ts'
import { withoutBytes } from './schema.ts'
import type { Schema } from './schema.ts'

const queries = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** Stands in a query for a value that is given when it runs; values are given in order. */
const given = sql<never>`?`

/** A value that is part of the query. */
const constant = <const T extends string | number | null>(value: T) => sql.lit(value)

function textOf<Row>(query: Compilable<Row>): Sql<Row> {
  const { sql: text, parameters } = query.compile()
  if (parameters.length > 0) throw new TypeError(`neither given nor constant: ${text}`)
  return { text }
}

// In the order of StoredRow, whose queries are read as lists.
const stored = queries.selectFrom('events').select(['position', 'id', 'payload', 'checksum'])
const pieces = queries.selectFrom('snapshot_pieces')

/** What both sides of a store ask. */
const shared = {
  ends: textOf(
    queries.selectFrom('log').select(['head', 'last_erasure as lastErasure', 'checksum']),
  ),
}

export const readStatements = {
  ...shared,
  batch: textOf(
    stored.where('position', '>', given).where('position', '<=', given).orderBy('position'),
  ),
  event: textOf(stored.where('id', '=', given)),
  answers: textOf(stored.where('recommendation', '=', given).orderBy('position')),
  ofUser: textOf(
    stored
      .where('user', '=', given)
      .where('position', '<', given)
      .orderBy('position', 'desc')
      .limit(given),
  ),
  items: textOf(
    queries
      .selectFrom('items')
      .select(['item', 'attributes', 'position'])
      .where('item', '>', given)
      .orderBy('item')
      .limit(given),
  ),
  mark: textOf(queries.selectFrom('marks').select('value').where('name', '=', given)),
  keys: textOf(queries.selectFrom('keys').selectAll().orderBy('created').orderBy('id')),
  snapshots: textOf(
    queries
      .selectFrom('snapshots')
      .select(['id', 'kind', 'scope', 'position', 'time', 'about', 'bytes', 'stage'])
      .where('kind', '=', given)
      .where('scope', '=', given)
      .where('stage', 'in', [constant('whole'), constant(withoutBytes)])
      .orderBy('id', 'desc'),
  ),
  snapshotScopes: textOf(
    queries
      .selectFrom('snapshots')
      .select('scope')
      .distinct()
      .where('kind', '=', given)
      .where('stage', 'in', [constant('whole'), constant(withoutBytes)])
      .orderBy('scope'),
  ),
  wholeSnapshot: textOf(
    queries
      .selectFrom('snapshots')
      .select('parts')
      .where('id', '=', given)
      .where('stage', '=', constant('whole')),
  ),
  piece: textOf(
    pieces
      .select(['last', 'bytes', 'checksum'])
      .where('snapshot', '=', given)
      .where('part', '=', given)
      .where('piece', '=', given),
  ),
}

const logStatements = {
  setEnds: textOf(
    queries.updateTable('log').set({ head: given, last_erasure: given, checksum: given }),
  ),
  insertEvent: textOf(
    queries
      .insertInto('events')
      .values({
        position: given,
        id: given,
        kind: given,
        user: given,
        recommendation: given,
        merged: given,
        time: given,
        payload: given,
        checksum: given,
      })
      .onConflict((conflict) => conflict.column('id').where('id', 'is not', null).doNothing()),
  ),
  positionOf: textOf(queries.selectFrom('events').select('position').where('id', '=', given)),
  putItem: textOf(
    queries.replaceInto('items').values({ item: given, attributes: given, position: given }),
  ),
  removeItem: textOf(queries.deleteFrom('items').where('item', '=', given)),
  mark: readStatements.mark,
  setMark: textOf(queries.replaceInto('marks').values({ name: given, value: given })),
}

const eraseStatements = {
  eventsBetween: textOf(
    stored
      .select('merged')
      .where('user', '=', given)
      .where('position', '>', given)
      .where('position', '<', given)
      .orderBy('position'),
  ),
  lastMerge: textOf(
    queries
      .selectFrom('events')
      .select('position')
      .where('merged', '=', given)
      .where('position', '<', given)
      .orderBy('position', 'desc')
      .limit(constant(1)),
  ),
  eraseEvent: textOf(
    queries
      .updateTable('events')
      .set({
        kind: constant('erased'),
        user: constant(null),
        recommendation: constant(null),
        merged: constant(null),
        time: constant(null),
        payload: given,
        checksum: given,
      })
      .where('position', '=', given),
  ),
  dropStates: textOf(
    queries
      .updateTable('snapshots')
      .set({ stage: constant('dropped') })
      .where('kind', '=', constant('state')),
  ),
}

const snapshotStatements = {
  beginSnapshot: textOf(
    queries
      .insertInto('snapshots')
      .values({
        kind: given,
        scope: given,
        position: given,
        time: given,
        about: given,
        bytes: constant(0),
        parts: constant(0),
        stage: constant('begun'),
      })
      .returning('id'),
  ),
  snapshot: textOf(
    queries
      .selectFrom('snapshots')
      .select(['kind', 'scope', 'position', 'stage'])
      .where('id', '=', given),
  ),
  insertPiece: textOf(
    queries.insertInto('snapshot_pieces').values({
      snapshot: given,
      part: given,
      piece: given,
      last: given,
      bytes: given,
      checksum: given,
    }),
  ),
  finishSnapshot: textOf(
    queries
      .updateTable('snapshots')
      .set({ stage: constant('whole'), parts: given, bytes: given })
      .where('id', '=', given),
  ),
  setStage: textOf(queries.updateTable('snapshots').set({ stage: given }).where('id', '=', given)),
  wholeSnapshots: textOf(
    queries
      .selectFrom('snapshots')
      .select('id')
      .where('kind', '=', given)
      .where('scope', '=', given)
      .where('stage', '=', constant('whole'))
      .orderBy('id', 'desc'),
  ),
  /** Without the newest so many; −1 is no limit. */
  listedSnapshots: textOf(
    queries
      .selectFrom('snapshots')
      .select('id')
      .where('kind', '=', given)
      .where('scope', '=', given)
      .where('stage', '=', constant(withoutBytes))
      .orderBy('id', 'desc')
      .limit(constant(-1))
      .offset(given),
  ),
  dropUnfinished: textOf(
    queries
      .updateTable('snapshots')
      .set({ stage: constant('dropped') })
      .where('stage', '=', constant('begun')),
  ),
  unwantedPieces: textOf(
    pieces
      .innerJoin('snapshots', 'id', 'snapshot')
      .select(['snapshot', 'part', 'piece'])
      .where('stage', 'in', [constant(withoutBytes), constant('dropped')])
      .limit(given),
  ),
  removePiece: textOf(
    queries
      .deleteFrom('snapshot_pieces')
      .where('snapshot', '=', given)
      .where('part', '=', given)
      .where('piece', '=', given),
  ),
  removeDropped: textOf(queries.deleteFrom('snapshots').where('stage', '=', constant('dropped'))),
}

const keyStatements = {
  key: textOf(queries.selectFrom('keys').select('id').where('id', '=', given)),
  addKey: textOf(
    queries.insertInto('keys').values({
      id: given,
      name: given,
      scopes: given,
      hash: given,
      created: given,
      revoked: given,
    }),
  ),
  revokeKey: textOf(
    queries
      .updateTable('keys')
      .set({ revoked: given })
      .where('id', '=', given)
      .where('revoked', 'is', null),
  ),
}

export const writeStatements = {
  ...shared,
  ...logStatements,
  ...eraseStatements,
  ...snapshotStatements,
  ...keyStatements,
}

export type WriteStatements = typeof writeStatements
