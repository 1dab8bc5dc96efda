// A store in one file: the caller's thread reads, a thread of its own writes.

import { statSync } from 'node:fs'

import { RenError } from '../../core/errors.ts'
import type { Appended, EventStore, ForgetRequest, Forgotten } from '../event-store.ts'
import { prepareEvents, prepareMark } from '../prepare-events.ts'
import type { AppendAnswer } from './calls.ts'
import { claimStore } from './claim.ts'
import type { Claim } from './claim.ts'
import { backUpStore } from './copy.ts'
import { defaultPatience, openReader } from './reader.ts'
import { sendSnapshot, sweep } from './send-snapshot.ts'
import { startWriter } from './writer.ts'
import type { Writer } from './writer.ts'

export interface SqliteOptions {
  /** Milliseconds to wait for other processes that write; 10 seconds unless set. */
  readonly patience?: number
  /** False makes every call a commit of its own. */
  readonly groupCommit?: boolean
  /** The size that the file may have; what goes beyond it fails as on a full disk. */
  readonly mostBytes?: number
}

/** Opens a store's file; where there is none, it is made. */
export async function openSqliteStore(
  path: string,
  { patience = defaultPatience, groupCommit = true, mostBytes }: SqliteOptions = {},
): Promise<EventStore> {
  const writer = await startWriter({ path, patience, mostBytes: mostBytes ?? null }, groupCommit)
  try {
    return joinSides(path, writer, openReader(path, { patience }, writer.requireAlive))
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
  const requireOpen = (): void => {
    if (closing) throw new RenError('store-closed', `the store at ${path} is closed`)
  }

  return {
    ...reader,
    append: async (events, mark) => {
      requireOpen()
      const request = { events: prepareEvents(events), mark: mark ? prepareMark(mark) : null }
      return appended(events.length, await writer.call('append', request))
    },
    forget: async (request) => {
      requireOpen()
      const forgotten = await forget(writer, request)
      await sweep(writer)
      await writer.call('settle', null)
      return forgotten
    },
    writeSnapshot: async (snapshot, parts) => {
      requireOpen()
      return await sendSnapshot(writer, snapshot, parts)
    },
    trimSnapshots: async (kind, scope, keep) => {
      requireOpen()
      await writer.call('trimSnapshots', { kind, scope, keep })
      await sweep(writer)
    },
    addKey: async (key) => {
      requireOpen()
      await writer.call('addKey', key)
    },
    revokeKey: async (id, time) => {
      requireOpen()
      return await writer.call('revokeKey', { id, time })
    },
    claim: async () => {
      requireOpen()
      if (claim) return
      claim = claimStore(path)
      await writer.call('dropUnfinished', null)
      await sweep(writer)
    },
    size: async () => ({ bytes: bytesOf(path), events: await reader.head() }),
    backup: async (to, onProgress) => {
      requireOpen()
      await backUpStore(path, to, onProgress)
    },
    close: () => {
      closing ??= (async () => {
        // The last connection to close moves the write-ahead log into the file, if it may write.
        await reader.close()
        await writer.close()
        claim?.release()
      })()
      return closing
    },
  }
}

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

// Names turn up as the thread follows merges, and events may come meanwhile: it says which arms it
// still wants, and forgets once it has them all.
async function forget(writer: Writer, { user, time, armOf }: ForgetRequest): Promise<Forgotten> {
  const arms = new Map([[user, armOf(user)]])
  for (;;) {
    const answer = await writer.call('forget', { user, time, arms })
    if (!('armsWanted' in answer)) return answer
    for (const name of answer.armsWanted) arms.set(name, armOf(name))
  }
}

function bytesOf(path: string): number {
  const files = [path, `${path}-wal`]
  return files.reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
