// A store in one file: the caller's thread reads, a thread of its own writes.

import { statSync } from 'node:fs'

import { RenError } from '../../core/errors.ts'
import { createPending } from '../../core/pending.ts'
import type { Appended, EventStore, EraseUserRequest, Erasure } from '../event-store.ts'
import { prepareEvents, prepareNamed } from '../log-event.ts'
import type { AppendAnswer } from './calls.ts'
import { claimStore } from './claim.ts'
import type { Claim } from './claim.ts'
import { backUpStore } from './copy.ts'
import { defaultPatience, openReader } from './reader.ts'
import { sendSnapshot, sweep, startWriter } from './writer.ts'
import type { Writer } from './writer.ts'

/** Settings of {@link openSqliteStore}. */
export interface SqliteOptions {
  /** Milliseconds to wait for other processes that write. Defaults to 10 seconds. */
  readonly patience?: number
  /** False makes every call a commit of its own. */
  readonly groupCommit?: boolean
  /** The size that the file may have; what goes beyond it fails as on a full disk. */
  readonly maxBytes?: number
}

/**
 * Opens a store in a SQLite file, and creates the file if it does not exist.
 *
 * @param options By default, calls at the same time share one commit, and a call waits up to 10
 *   seconds for other processes.
 *
 * @example
 * ```ts
 * import { openSqliteStore } from 'ren-recommender/storage'
 *
 * const store = await openSqliteStore('data/ren.db', { maxBytes: 2 ** 33 }) // at most 8 GiB
 * const event = { kind: 'interaction', user: 'ann', item: 'tea', reward: 1, time: Date.now() } as const
 * const { head } = await store.append([{ id: 'order-17', event }])
 * await store.close()
 * ```
 */
export async function openSqliteStore(
  path: string,
  { patience = defaultPatience, groupCommit = true, maxBytes }: SqliteOptions = {},
): Promise<EventStore> {
  const start = { path, patience, maxBytes: maxBytes ?? null }
  const writer = await startWriter(start, groupCommit)
  try {
    const reader = openReader(path, { readOnly: true, patience }, () => writer.requireAlive())
    return joinSides(path, writer, reader)
  } catch (error) {
    await writer.close()
    throw error
  }
}

function joinSides(
  path: string,
  writer: Writer,
  reader: ReturnType<typeof openReader>,
): EventStore {
  let claim: Claim | null = null
  let closing: Promise<void> | null = null
  const pending = createPending()
  const begin: Begin = async (body) => {
    if (closing) throw new RenError('store-closed', `the store at ${path} is closed`)
    return pending.track(body)
  }
  /** Goes on behind the answer, since it may take seconds. */
  const tidyBehind = (): void => void pending.track(() => tidy(writer))
  return {
    ...reader,
    ...writeCalls(writer, begin, tidyBehind),
    claim: () =>
      begin(async () => {
        if (claim) return
        claim = claimStore(path)
        await writer.call('dropUnfinished', null)
        tidyBehind()
      }),
    size: async () => ({ bytes: bytesOf(path), events: await reader.head() }),
    backup: (to, onProgress) => begin(() => backUpStore(path, to, onProgress)),
    close: () => {
      closing ??= pending.settled().then(async () => {
        // The last connection to close moves the write-ahead log into the file, if it may write.
        await reader.close()
        await writer.close()
        claim?.release()
      })
      return closing
    },
  }
}

/** Begins work, which is finished before the store closes; an error once it is closing. */
type Begin = <T>(body: () => Promise<T>) => Promise<T>

const writeCalls = (writer: Writer, begin: Begin, tidyBehind: () => void) =>
  ({
    append: (events, mark) =>
      begin(async () => {
        const own = mark ? prepareNamed(mark, 'mark', 'name') : null
        const request = { events: prepareEvents(events), mark: own }
        return appended(events.length, await writer.call('append', request))
      }),
    eraseUser: (request) =>
      begin(async () => {
        const erasure = await eraseUser(writer, request)
        tidyBehind()
        return erasure
      }),
    writeSnapshot: (snapshot, parts) => begin(() => sendSnapshot(writer, snapshot, parts)),
    trimSnapshots: (kind, scope, retained, maxListed = Number.MAX_SAFE_INTEGER) =>
      begin(async () => {
        await writer.call('trimSnapshots', { kind, scope, retained, maxListed })
        await sweep(writer)
      }),
    addKey: (key) => begin(() => writer.call('addKey', prepareNamed(key, 'key', 'id'))),
    revokeKey: (id, time) => begin(() => writer.call('revokeKey', { id, time })),
  }) satisfies Partial<EventStore>

function appended(count: number, { first, repeated, head }: AppendAnswer): Appended {
  let next = first
  const results = Array.from({ length: count }, (_, at) => {
    const known = repeated.get(at)
    return known === undefined
      ? { position: next++, repeated: false }
      : { position: known, repeated: true }
  })
  return { results, head }
}

// Names turn up as the thread follows merges, and events may come meanwhile: it says which variants it
// still wants, and erases once it has them all.
async function eraseUser(
  writer: Writer,
  { user, time, variantOf }: EraseUserRequest,
): Promise<Erasure> {
  const variants = new Map([[user, variantOf(user)]])
  for (;;) {
    const answer = await writer.call('eraseUser', { user, time, variants })
    if (!('variantsWanted' in answer)) return answer
    for (const name of answer.variantsWanted) variants.set(name, variantOf(name))
  }
}

// Others' calls go between the slices of a sweep. A failure leaves bytes that the next sweep finds, and
// opening the store for a service is one.
async function tidy(writer: Writer): Promise<void> {
  await sweep(writer).catch(() => {})
  await writer.settle().catch(() => {})
}

function bytesOf(path: string): number {
  const files = [path, `${path}-wal`]
  return files.reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
