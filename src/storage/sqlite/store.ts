// A store in a SQLite file: the caller's thread reads, and another thread writes.

import { statSync } from 'node:fs'

import type { EventStore } from '../event-store.ts'
import { claimStore, type Claim } from './claim.ts'
import { backUpStore } from './copy.ts'
import { realPath } from './place.ts'
import { defaultPatience, openReader } from './reader.ts'
import { startWriter, writeCalls, type Writer } from './writer.ts'

/** Settings of {@link openSqliteStore}. */
export interface SqliteOptions {
  /** Milliseconds to wait for other processes that write. Defaults to 10 seconds. */
  readonly patience?: number
  /** Whether concurrent calls share a commit. Defaults to true. */
  readonly groupCommit?: boolean
  /**
   * Maximum size of the file in bytes. Writes beyond it fail as on a full disk. Defaults to no
   * limit.
   */
  readonly maxBytes?: number
}

/**
 * Opens a store in a SQLite file, and creates the file if it does not exist.
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

  async function close(): Promise<void> {
    await writer.finish()
    // The writer closes last: the last connection moves the write-ahead log into the file.
    await reader.close()
    await writer.close()
    claim?.release()
  }

  return {
    ...reader,
    ...writeCalls(writer),
    readerLocation: path,
    shared: null,
    claim: () =>
      writer.begin(async () => {
        if (claim) return
        claim = claimStore(path)
        await writer.call('dropUnfinished', null)
        writer.tidy()
      }),
    size: async () => ({ bytes: bytesOf(path), events: await reader.head() }),
    backup: (to, onProgress) => writer.begin(() => backUpStore(path, to, onProgress)),
    close: () => (closing ??= close()),
  }
}

function bytesOf(path: string): number {
  const real = realPath(path)
  const files = [real, `${real}-wal`]
  return files.reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
