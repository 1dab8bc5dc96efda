// The caller's side of the thread that writes: calls gather while a group is on its way to the disk,
// and go together when it has arrived.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Transferable } from 'node:worker_threads'

import { RenError } from '../../core/errors.ts'
import { errorOf, Thread } from '../../node/thread.ts'
import type { NewSnapshot, SnapshotInfo } from '../event-store.ts'
import { toJson } from '../log-event.ts'
import type { Answer, AppendRequest, CallKind, Request, WriterCalls, WriterStart } from './calls.ts'

interface Waiting {
  readonly kind: CallKind
  readonly request: unknown
  readonly transfer: readonly Transferable[]
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** Starts the thread; it fails as opening the store fails. */
export async function startWriter(start: WriterStart, groupCommit: boolean): Promise<Writer> {
  const writer = new Writer(start.path, groupCommit)
  await writer.open(start)
  return writer
}

export class Writer {
  readonly #groupCommit: boolean
  readonly #thread: Thread<WriterCalls>
  readonly #queue: Waiting[] = []
  #isBusy = false
  #lost: RenError | null = null
  #whenIdle = (): void => {}
  /** Calls of the last two groups. */
  #recent: readonly [number, number] = [0, 0]

  constructor(path: string, groupCommit: boolean) {
    this.#groupCommit = groupCommit
    const url = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url)
    // The caller's options may be for a script of the caller's.
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

  /** Calls take effect in their order. */
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

  /** See `WriterCalls.settle`. */
  settle(): Promise<void> {
    return this.#thread.call('settle', null)
  }

  /** Throws where the thread is gone. */
  requireAlive(): void {
    if (this.#lost) throw this.#lost
  }

  /** Finishes what was begun; no call may come any more. */
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
   * At the end of a turn of the event loop, so that whoever else calls in it is in the same group.
   * While every turn brings more, groups become of one size: else one call goes first and alone, and
   * all that have come meanwhile wait for it, and the next for them.
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

/** Events that one transaction takes, but for a single call that has more. */
const largestGroup = 10_000

// Appends go together; anything else is a transaction of its own.
function groupLength(queue: readonly Waiting[]): number {
  let events = 0
  const end = queue.findIndex(({ kind, request }) => {
    if (kind !== 'append') return true
    events += (request as AppendRequest).events.ids.length
    return events > largestGroup
  })
  return end === -1 ? queue.length : Math.max(1, end)
}

// Sends a snapshot to the writer thread in pieces.

const pieceBytes = 1 << 20

/** The next piece is sent when the one before is durable; other calls go between them. */
export async function sendSnapshot(
  writer: Writer,
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
      await sendPart(writer, id, count++, part)
    }
    await writer.call('finishSnapshot', { id, parts: count, bytes })
    return { id, ...head, about: JSON.parse(about) as NewSnapshot['about'], bytes, readable: true }
  } catch (error) {
    await writer.call('abandonSnapshot', { id })
    await sweep(writer)
    throw error
  }
}

async function sendPart(
  writer: Writer,
  snapshot: number,
  part: number,
  whole: Uint8Array,
): Promise<void> {
  const pieces = Math.max(1, Math.ceil(whole.byteLength / pieceBytes))
  for (let piece = 0; piece < pieces; piece++) {
    // A copy, which can be handed over; the caller's bytes stay the caller's.
    const bytes = new Uint8Array(whole.subarray(piece * pieceBytes, (piece + 1) * pieceBytes))
    const isLast = piece === pieces - 1
    await writer.call('writePiece', { snapshot, part, piece, isLast, bytes }, [bytes.buffer])
  }
}

/** Deletes the bytes of what was dropped, a little at a time. */
export async function sweep(writer: Writer): Promise<void> {
  while (await writer.call('sweep', null));
}
