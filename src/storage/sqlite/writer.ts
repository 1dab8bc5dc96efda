// The caller's side of the thread that writes: calls gather while a group is on its way to the disk,
// and go together when it has arrived.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Transferable } from 'node:worker_threads'

import { RenError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Answer, CallKind, Outcome, Request, WriterStart } from './calls.ts'

export interface Writer {
  /** Calls take effect in their order. */
  call<K extends CallKind>(
    kind: K,
    request: Request<K>,
    transfer?: readonly Transferable[],
  ): Promise<Answer<K>>
  /** Throws where the thread is gone. */
  requireAlive(): void
  /** Finishes what was asked for. */
  close(): Promise<void>
}

interface Waiting {
  readonly kind: CallKind
  readonly request: unknown
  readonly transfer: readonly Transferable[]
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** Appends that one transaction takes at most. */
const largestGroup = 1000

export async function startWriter(start: WriterStart, groupCommit: boolean): Promise<Writer> {
  const worker = new Worker(
    new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url),
    { workerData: start },
  )
  const queue: Waiting[] = []
  let onTheWay: readonly Waiting[] = []
  let lost: RenError | null = null
  let drained = (): void => {}

  const lose = (cause: unknown): void => {
    const message = `the store at ${start.path} lost its writer (${String(cause)}); open it anew`
    lost ??= new RenError('store-failed', message, { cause })
    for (const { reject } of [...onTheWay, ...queue.splice(0)]) reject(lost)
    onTheWay = []
    drained()
  }
  worker.on('error', lose)
  worker.on('exit', (code) => lose(`its thread ended with code ${code}`))

  const sendNext = (): void => {
    if (onTheWay.length > 0) return
    onTheWay = queue.splice(0, groupCommit ? groupLength(queue) : 1)
    // An open store must not keep a process alive, but what it has promised to write must.
    if (onTheWay.length === 0) {
      worker.unref()
      return drained()
    }
    worker.ref()
    const group = onTheWay.map(({ kind, request }) => ({ kind, request }))
    worker.postMessage(
      group,
      onTheWay.flatMap(({ transfer }) => transfer),
    )
  }

  await ready(worker)
  worker.on('message', (outcomes: readonly Outcome[]) => {
    const answered = onTheWay
    onTheWay = []
    sendNext()
    for (const [at, outcome] of outcomes.entries()) {
      const { resolve, reject } = answered[at]!
      if ('answer' in outcome) resolve(outcome.answer as never)
      else reject(toError(outcome.failure))
    }
  })
  worker.unref()

  return {
    call: (kind, request, transfer = []) =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost)
        queue.push({ kind, request, transfer, resolve, reject })
        sendNext()
      }),
    requireAlive() {
      if (lost) throw lost
    },
    async close() {
      await new Promise<void>((resolve) => {
        drained = resolve
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

// Appends go together; anything else is a transaction of its own.
function groupLength(queue: readonly Waiting[]): number {
  const others = queue.findIndex(({ kind }) => kind !== 'append')
  const appends = others === -1 ? queue.length : others
  return Math.max(1, Math.min(appends, largestGroup))
}

const ready = (worker: Worker): Promise<void> =>
  new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (outcome: 'ready' | Outcome) => {
      worker.off('error', reject)
      if (typeof outcome === 'object' && 'failure' in outcome) reject(toError(outcome.failure))
      else resolve()
    })
  })

const toError = ({ code, message }: { code: string; message: string }): RenError =>
  new RenError(code as ErrorCode, message)
