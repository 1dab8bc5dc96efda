// What is read of a store's file, by a connection of the caller's own.

import { RenError } from '../../core/errors.ts'
import type { Attributes } from '../../core/events.ts'
import type { Position, StoredEvent } from '../log-event.ts'
import type { EventReader, EventStore, KeyScope } from '../event-store.ts'
import { readBatches, refuseDamage } from '../read-batches.ts'
import type { ReadEvent } from '../read-batches.ts'
import { openDatabase } from './database.ts'
import type { Database, DatabaseOptions } from './database.ts'
import { toEvent } from './event-rows.ts'
import type { StoredRow } from './event-rows.ts'
import { isDamage } from './failures.ts'
import { prepareEnds } from './log-ends.ts'
import { requireCurrent } from './migrations.ts'
import { createSnapshotReader } from './read-snapshots.ts'
import { readStatements } from './statements.ts'

type FileReader = EventReader &
  Pick<
    EventStore,
    'event' | 'answersTo' | 'eventsOf' | 'items' | 'mark' | 'keys' | 'snapshotScopes'
  >

/** Settings of {@link openSqliteReader}. */
export interface ReaderOptions {
  /** Milliseconds to wait for others. Defaults to 10 seconds. */
  readonly patience?: number
}

export const defaultPatience = 10_000

/**
 * Opens a connection that reads the log of an existing SQLite store, for another thread or process.
 */
export async function openSqliteReader(
  path: string,
  options: ReaderOptions = {},
): Promise<EventReader> {
  const { patience = defaultPatience } = options
  return openReader(path, { readOnly: true, patience })
}

/** `requireUsable` is asked before every call. */
export function openReader(
  path: string,
  options: DatabaseOptions,
  requireUsable: () => void = () => {},
): FileReader {
  const database = openDatabase(path, options)
  try {
    requireCurrent(database)
    return readFrom(database, requireUsable)
  } catch (error) {
    database.close()
    throw error
  }
}

function readFrom(database: Database, requireUsable: () => void): FileReader {
  const statements = prepareReads(database)
  const snapshots = createSnapshotReader(database)
  let closed = false
  const requireOpen = (): void => {
    if (closed) throw new RenError('store-closed', `the store at ${database.path} is closed`)
    requireUsable()
  }
  const answer = async <T>(body: () => T): Promise<T> => {
    requireOpen()
    return body()
  }
  const headNow = (): Position => {
    requireOpen()
    return statements.ends().head
  }
  const batch = (after: Position, upTo: Position): readonly ReadEvent[] => {
    try {
      return statements.batch.all(after, upTo).map(toEvent)
    } catch (error) {
      // A page that SQLite cannot read hides the others of the batch: then one by one.
      if (!isDamage(error)) throw error
      return onesBetween(after, upTo)
    }
  }
  const onesBetween = (after: Position, upTo: Position): readonly ReadEvent[] =>
    Array.from({ length: upTo - after }, (_, at) => at + after + 1).flatMap((position) => {
      try {
        return statements.batch.all(position - 1, position).map(toEvent)
      } catch (error) {
        if (!isDamage(error)) throw error
        return [{ position, damage: error.message }]
      }
    })

  return {
    location: database.path,
    head: async () => headNow(),
    read: (after, options = {}) =>
      readBatches(after, options, headNow, (from, upTo) => {
        requireOpen()
        return batch(from, upTo)
      }),
    event: (id) =>
      answer(() => {
        const row = statements.event.first(id)
        return row ? required(row) : null
      }),
    answersTo: (recommendationId) =>
      answer(() => statements.answers.all(recommendationId).map(required)),
    eventsOf: (user, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      answer(() => statements.ofUser.all(user, before, limit).map(required)),
    items: ({ after = '', limit }) =>
      answer(() =>
        statements.items.all(after, limit).map(([item, attributes, position]) => {
          return { item, attributes: toAttributes(attributes), position }
        }),
      ),
    mark: (name) => answer(() => statements.mark.first(name)?.value ?? null),
    keys: () =>
      answer(() =>
        statements.keys.all().map(({ scopes, ...row }) => ({
          ...row,
          scopes: JSON.parse(scopes) as KeyScope[],
        })),
      ),
    snapshots: (kind, scope) => answer(() => snapshots.list(kind, scope)),
    snapshotScopes: (kind) => answer(() => snapshots.scopes(kind)),
    async *readSnapshot(id) {
      requireOpen()
      yield* snapshots.parts(id)
    },
    close: async () => {
      if (!closed) database.close()
      closed = true
    },
  }
}

function prepareReads(database: Database) {
  const { ends, batch, event, answers, ofUser, items, mark, keys } = readStatements
  return {
    ends: prepareEnds(database, ends),
    batch: database.prepareTuples<StoredRow>(batch),
    event: database.prepareTuples<StoredRow>(event),
    answers: database.prepareTuples<StoredRow>(answers),
    ofUser: database.prepareTuples<StoredRow>(ofUser),
    items: database.prepareTuples<readonly [string, string, Position]>(items),
    mark: database.prepare(mark),
    keys: database.prepare(keys),
  }
}

const noAttributes: Attributes = Object.freeze({})

/** Most items of a large catalog may have none: those share theirs. */
const toAttributes = (text: string): Attributes =>
  text === '{}' ? noAttributes : (JSON.parse(text) as Attributes)

function required(row: StoredRow): StoredEvent {
  const read = toEvent(row)
  return 'damage' in read ? refuseDamage(read.position, read.damage) : read
}
