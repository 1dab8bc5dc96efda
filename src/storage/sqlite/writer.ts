// The writing side of a store. Calls wait while the writer thread commits a group of calls, and form the
// next group when it has finished.

import { extname } from 'node:path'
import { Worker, type Transferable } from 'node:worker_threads'

import { RenError } from '../../core/errors.ts'
import { createPending } from '../../core/pending.ts'
import { errorOf, Thread } from '../../node/thread.ts'
import type {
  Appended,
  EraseUserRequest,
  Erasure,
  EventStore,
  NewSnapshot,
  SnapshotInfo,
} from '../event-store.ts'
import { prepareEvents, prepareNamed, toJson } from '../log-event.ts'
import { piecesOf } from '../stored-values.ts'
import type {
  Answer,
  AppendAnswer,
  AppendRequest,
  CallKind,
  Request,
  WriterCalls,
  WriterStart,
} from './calls.ts'

interface Waiting {
  readonly kind: CallKind
  readonly request: unknown
  readonly transfer: readonly Transferable[]
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** Starts the thread, and rejects if it cannot open the store. */
export async function startWriter(start: WriterStart, groupCommit: boolean): Promise<Writer> {
  const writer = new Writer(start.path, groupCommit)
  await writer.open(start)
  return writer
}

/** What the calls of a store need of its writer. */
export type WriterSide = Pick<Writer, 'begin' | 'call' | 'tidy'>

export class Writer {
  readonly #path: string
  readonly #groupCommit: boolean
  readonly #thread: Thread<WriterCalls>
  readonly #pending = createPending()
  readonly #queue: Waiting[] = []
  #isBusy = false
  #isFinishing = false
  #lost: RenError | null = null
  #whenIdle = (): void => {}
  /** The sizes of the last two groups. */
  #recent: readonly [number, number] = [0, 0]

  constructor(path: string, groupCommit: boolean) {
    this.#path = path
    this.#groupCommit = groupCommit
    const url = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url)
    // The options of the caller's process may only suit the caller's script.
    const worker = new Worker(url, { execArgv: [] })
    this.#thread = new Thread(worker, 'its thread', (cause) => {
      const message = `the store at ${path} lost its writer (${cause.message}): open it again`
      this.#lost = new RenError('store-failed', message, { cause })
    })
  }

  async open(start: WriterStart): Promise<void> {
    try {
      await this.#thread.call('open', start)
    } catch (error) {
      await this.#thread.end()
      throw this.#lost ?? error
    }
  }

  /** Runs work that `finish` waits for; rejects after `finish` was called. */
  async begin<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isFinishing) return this.#pending.track(work)
    throw new RenError('store-closed', `the store at ${this.#path} is closed`)
  }

  /** Calls take effect in order. */
  call<K extends CallKind>(
    kind: K,
    request: Request<K>,
    transfer: readonly Transferable[] = [],
  ): Promise<Answer<K>> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost)
      this.#queue.push({ kind, request, transfer, resolve, reject })
      if (this.#queue.length === 1) setImmediate(() => this.#gather(0))
    })
  }

  /**
   * Deletes dropped bytes in the background, between other calls, since that may take seconds. After a
   * failure, the next call or the next claim of the store deletes them.
   */
  tidy(): void {
    void this.#pending.track(async () => {
      await sweep(this).catch(() => {})
      await this.#thread.call('settle', null).catch(() => {})
    })
  }

  /** Throws if the thread has died. */
  requireAlive(): void {
    if (this.#lost) throw this.#lost
  }

  /** Refuses new work, and resolves when all work that was begun has ended. */
  finish(): Promise<void> {
    this.#isFinishing = true
    return this.#pending.settled()
  }

  /** Sends the calls that wait, and ends the thread. No call may follow. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve
      void this.#sendNext()
    })
    if (this.#lost) return
    await this.#thread.call('close', null)
    await this.#thread.end()
  }

  /**
   * Sends a group at the end of a turn of the event loop, so that other calls of the turn join it. While
   * each turn brings more calls, it waits until the group is as large as the recent ones. Otherwise a
   * single call would go first, and all others would wait for its commit.
   */
  #gather(before: number): void {
    const { length } = this.#queue
    const isEnough = !this.#groupCommit || length >= (this.#recent[0] + this.#recent[1]) / 2
    if (length === before || isEnough) void this.#sendNext()
    else if (!this.#isBusy) setImmediate(() => this.#gather(length))
  }

  async #sendNext(): Promise<void> {
    if (this.#isBusy) return
    const group = this.#queue.splice(0, this.#groupCommit ? groupLength(this.#queue) : 1)
    if (group.length === 0) return this.#whenIdle()
    this.#isBusy = true
    this.#recent = [this.#recent[1], group.length]
    const calls = group.map(({ kind, request }) => ({ kind, request }))
    const transfer = group.flatMap((call) => call.transfer)
    try {
      const outcomes = await this.#thread.call('commit', calls, { transfer })
      this.#isBusy = false
      this.#gather(0)
      for (const [at, outcome] of outcomes.entries()) {
        if ('answer' in outcome) group[at]!.resolve(outcome.answer as never)
        else group[at]!.reject(errorOf(outcome.failure))
      }
    } catch (error) {
      this.#isBusy = false
      for (const { reject } of [...group, ...this.#queue.splice(0)]) reject(this.#lost ?? error)
      this.#whenIdle()
    }
  }
}

/** Maximum number of events per transaction, except for a single call with more. */
const maxGroupEvents = 10_000

/** Appends share a transaction; every other call has its own. */
function groupLength(queue: readonly Waiting[]): number {
  let events = 0
  const end = queue.findIndex(({ kind, request }) => {
    if (kind !== 'append') return true
    events += (request as AppendRequest).events.ids.length
    return events > maxGroupEvents
  })
  return end === -1 ? queue.length : Math.max(1, end)
}

/** The calls of a store that write. */
export const writeCalls = (writer: WriterSide) =>
  ({
    append: (events, mark) =>
      writer.begin(async () => {
        const own = mark ? prepareNamed(mark, 'mark', 'name') : null
        const request = { events: prepareEvents(events), mark: own }
        return appended(events.length, await writer.call('append', request))
      }),
    eraseUser: (request) =>
      writer.begin(async () => {
        const erasure = await eraseUser(writer, request)
        writer.tidy()
        return erasure
      }),
    writeSnapshot: (snapshot, parts) => writer.begin(() => sendSnapshot(writer, snapshot, parts)),
    trimSnapshots: (kind, scope, retained, maxListed = Number.MAX_SAFE_INTEGER) =>
      writer.begin(async () => {
        await writer.call('trimSnapshots', { kind, scope, retained, maxListed })
        await sweep(writer)
      }),
    addKey: (key) => writer.begin(() => writer.call('addKey', prepareNamed(key, 'key', 'id'))),
    revokeKey: (id, time) => writer.begin(() => writer.call('revokeKey', { id, time })),
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

/**
 * The thread finds merged names during the erasure, and requests their variants. New events may add
 * names between two attempts.
 */
async function eraseUser(
  writer: WriterSide,
  { user, time, variantOf }: EraseUserRequest,
): Promise<Erasure> {
  const variants = new Map([[user, variantOf(user)]])
  for (;;) {
    const answer = await writer.call('eraseUser', { user, time, variants })
    if (!('variantsWanted' in answer)) return answer
    for (const name of answer.variantsWanted) variants.set(name, variantOf(name))
  }
}

/** Sends a snapshot in pieces, each when the previous one is durable. Other calls run in between. */
async function sendSnapshot(
  writer: WriterSide,
  snapshot: NewSnapshot,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<SnapshotInfo> {
  const { kind, scope, position, time } = snapshot
  const about = toJson(snapshot.about, 'about')
  const head = { kind, scope, position, time }
  const id = await writer.call('beginSnapshot', { ...head, about })
  try {
    let count = 0
    let bytes = 0
    for await (const part of parts) {
      bytes += part.byteLength
      for (const piece of piecesOf(id, count++, part)) {
        await writer.call('writePiece', piece, [piece.bytes.buffer as ArrayBuffer])
      }
    }
    await writer.call('finishSnapshot', { id, parts: count, bytes })
    return { id, ...head, about: JSON.parse(about) as NewSnapshot['about'], bytes, readable: true }
  } catch (error) {
    await writer.call('abandonSnapshot', { id })
    await sweep(writer)
    throw error
  }
}

/** Deletes the bytes of dropped snapshots, a few per call. */
async function sweep(writer: WriterSide): Promise<void> {
  while (await writer.call('sweep', null));
}
