// The reading side of a store, with its own connection.

import { RenError } from '../../core/errors.ts'
import type { Position, StoredEvent } from '../log-event.ts'
import type { EventReader, EventStore, Mark, StoredKey } from '../event-store.ts'
import { readBatches, type ReadEvent } from '../read-batches.ts'
import { requireIntact, toItem, toKey, type ItemRow } from '../stored-values.ts'
import { openDatabase, type Database, type DatabaseOptions } from './database.ts'
import { isDamage } from './failures.ts'
import { readCommits, requireCommits } from './last-commit.ts'
import { prepareEnds } from './log-ends.ts'
import { requireCurrent } from './migrations.ts'
import { realPath } from './place.ts'
import { itemChecksum, selectEvents, toEvent, type StoredRow } from './rows.ts'
import { createSnapshotReader } from './snapshots.ts'
import { prepareMark } from './write-log.ts'

type FileReader = EventReader &
  Pick<
    EventStore,
    'event' | 'feedbackOn' | 'eventsOf' | 'items' | 'mark' | 'marks' | 'keys' | 'snapshotScopes'
  >

/** Settings of {@link openSqliteReader}. */
export interface ReaderOptions {
  /** Milliseconds to wait for other processes. Defaults to 10 seconds. */
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

export function openReader(
  path: string,
  options: DatabaseOptions,
  requireUsable?: () => void,
): FileReader {
  // Before the file is opened, since others may write to it. A frozen file has no writers.
  const commits = options.isFrozen ? [] : readCommits(realPath(path))
  const database = openDatabase(path, options)
  try {
    requireCurrent(database)
    requireCommits(path, commits, prepareEnds(database)())
    return readFrom(database, requireUsable)
  } catch (error) {
    database.close()
    throw error
  }
}

/** @param requireUsable Called before every read; may throw. */
export function readFrom(database: Database, requireUsable: () => void = () => {}): FileReader {
  const snapshots = createSnapshotReader(database)
  let closed = false
  const requireOpen = (): void => {
    if (closed) throw new RenError('store-closed', `the store at ${database.path} is closed`)
    requireUsable()
  }
  const answer: Answering = async (body) => {
    requireOpen()
    return body()
  }
  return {
    location: database.path,
    ...logReads(database, requireOpen),
    ...tableReads(database, answer),
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

/** Returns the result of `body`, or rejects once the store is closed. */
type Answering = <T>(body: () => T) => Promise<T>

function logReads(database: Database, requireOpen: () => void): Pick<FileReader, 'head' | 'read'> {
  const ends = prepareEnds(database)
  const events = database.prepareTuples<StoredRow>(
    `${selectEvents} where position > ? and position <= ? order by position`,
  )
  const head = (): Position => {
    requireOpen()
    return ends().head
  }
  /** If SQLite cannot read a page, reads the events of the batch one by one. */
  const batch = (after: Position, upTo: Position): readonly ReadEvent[] => {
    try {
      return events.all(after, upTo).map(toEvent)
    } catch (error) {
      if (!isDamage(error)) throw error
      if (upTo - after === 1) return [{ position: upTo, damage: error.message }]
      const positions = Array.from({ length: upTo - after }, (_, at) => after + 1 + at)
      return positions.flatMap((position) => batch(position - 1, position))
    }
  }
  return {
    head: async () => head(),
    read: (after, options = {}) =>
      readBatches(after, options, head, (from, upTo) => {
        requireOpen()
        return batch(from, upTo)
      }),
  }
}

function tableReads(database: Database, answer: Answering) {
  const event = database.prepareTuples<StoredRow>(`${selectEvents} where id = ?`)
  const answers = database.prepareTuples<StoredRow>(
    `${selectEvents} where recommendation = ? order by position`,
  )
  const ofUser = database.prepareTuples<StoredRow>(
    `${selectEvents} where user = ? and position < ? order by position desc limit ?`,
  )
  const items = database.prepareTuples<readonly [...ItemRow, checksum: number | null]>(
    'select item, attributes, position, checksum from items where item > ? order by item limit ?',
  )
  const mark = prepareMark(database)
  const marks = database.prepare<Mark>('select name, value from marks order by name')
  const keys = database.prepare<Omit<StoredKey, 'scopes'> & { readonly scopes: string }>(
    'select * from keys order by created, id',
  )
  return {
    event: (id) => answer(() => event.all(id).map(requiredEvent)[0] ?? null),
    feedbackOn: (recommendationId) =>
      answer(() => answers.all(recommendationId).map(requiredEvent)),
    eventsOf: (user, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      answer(() => ofUser.all(user, before, limit).map(requiredEvent)),
    items: ({ after = '', limit, onDamaged }) =>
      answer(() =>
        items.all(after, limit).map(([item, attributes, position, checksum]) => {
          const isIntact = itemChecksum(item, attributes, position) === checksum
          return toItem([item, attributes, position], isIntact, onDamaged)
        }),
      ),
    mark: (name) => answer(() => mark(name)),
    marks: () => answer(() => marks.all().map(({ name, value }) => ({ name, value }))),
    keys: () => answer(() => keys.all().map(toKey)),
  } satisfies Partial<FileReader>
}

const requiredEvent = (row: StoredRow): StoredEvent => requireIntact(toEvent(row))
