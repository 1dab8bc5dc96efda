// The caller's side of the thread that writes: calls gather while a group is on its way to the disk,
// and go together when it has arrived.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Transferable } from 'node:worker_threads'

import { RenError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { NewSnapshot, SnapshotInfo } from '../event-store.ts'
import { toJson } from '../plain-json.ts'
import type { Answer, AppendRequest, CallKind, Outcome, Request, WriterStart } from './calls.ts'

export interface Writer {
  /** Calls take effect in their order. */
  call<K extends CallKind>(
    kind: K,
    request: Request<K>,
    transfer?: readonly Transferable[],
  ): Promise<Answer<K>>
  /** Throws where the thread is gone. */
  requireAlive(): void
  /** Finishes what was asked for; nothing may be asked any more. */
  close(): Promise<void>
}

interface Waiting {
  readonly kind: CallKind
  readonly request: unknown
  readonly transfer: readonly Transferable[]
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** Starts the thread; it fails as opening the store fails. */
export async function startWriter(start: WriterStart, groupCommit: boolean): Promise<Writer> {
  const worker = new Worker(
    new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url),
    {
      workerData: start,
      // The caller's options may be for a script of the caller's.
      execArgv: [],
    },
  )
  const queue: Waiting[] = []
  let onTheWay: readonly Waiting[] = []
  let lost: RenError | null = null
  let whenIdle = (): void => {}
  /** Calls of the last two groups. */
  let recent: readonly [number, number] = [0, 0]
  const isEnough = (): boolean => !groupCommit || queue.length >= (recent[0] + recent[1]) / 2

  /**
   * At the end of a turn of the event loop, so that whoever else calls in it is in the same group.
   * While every turn brings more, groups become of one size: else one call goes first and alone, and
   * all that have come meanwhile wait for it, and the next for them.
   */
  const gather = (before: number): void => {
    if (queue.length === before || isEnough()) sendNext()
    else if (onTheWay.length === 0) setImmediate(gather, queue.length)
  }
  const sendNext = (): void => {
    if (onTheWay.length > 0) return
    onTheWay = queue.splice(0, groupCommit ? groupLength(queue) : 1)
    if (onTheWay.length === 0) {
      // An open store does not keep a process alive; what it has promised to write does.
      worker.unref()
      return whenIdle()
    }
    worker.ref()
    recent = [recent[1], onTheWay.length]
    const group = onTheWay.map(({ kind, request }) => ({ kind, request }))
    const transfer = onTheWay.flatMap((call) => call.transfer)
    worker.postMessage(group, transfer)
  }
  const settle = (outcomes: readonly Outcome[]): void => {
    const answered = onTheWay
    onTheWay = []
    gather(0)
    for (const [at, outcome] of outcomes.entries()) {
      const { resolve, reject } = answered[at]!
      if ('answer' in outcome) resolve(outcome.answer as never)
      else reject(toError(outcome.failure))
    }
  }
  const lose = (cause: unknown): void => {
    const message = `the store at ${start.path} lost its writer (${String(cause)}): open it again`
    lost ??= new RenError('store-failed', message, { cause })
    for (const { reject } of [...onTheWay, ...queue.splice(0)]) reject(lost)
    onTheWay = []
    whenIdle()
  }

  await new Promise<void>((resolve, reject) => {
    // Once it is ready, rejecting changes nothing.
    const end = (cause: unknown): void => {
      lose(cause)
      reject(lost)
    }
    worker.once('error', end)
    worker.once('exit', (code) => end(`its thread ended with code ${code}`))
    worker.once('message', (outcome: Outcome) => {
      if ('failure' in outcome) reject(toError(outcome.failure))
      else resolve()
    })
  })
  worker.on('message', settle)
  worker.unref()

  return {
    call: (kind, request, transfer = []) =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost)
        queue.push({ kind, request, transfer, resolve, reject })
        if (queue.length === 1) setImmediate(gather, 0)
      }),
    requireAlive() {
      if (lost) throw lost
    },
    async close() {
      await new Promise<void>((resolve) => {
        whenIdle = resolve
        sendNext()
      })
      if (lost) return
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.ref()
      worker.postMessage('close')
      await ended
    },
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

const toError = ({ code, message }: { code: string; message: string }): RenError =>
  new RenError(code as ErrorCode, message)

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
