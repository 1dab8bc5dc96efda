// Typed calls to a worker thread: a request and an answer, with progress, cancellation, memory that is
// moved instead of copied, and errors that keep their code, path and details.

import { parentPort } from 'node:worker_threads'
import type { Transferable, Worker } from 'node:worker_threads'

import { RenError } from '../core/errors.ts'
import type { ErrorBody } from '../core/errors.ts'

/** The second argument of a call in the thread that serves it. */
export interface CallContext<Progress = never> {
  /** Aborts when the caller cancels the call. */
  readonly signal: AbortSignal
  progress(value: Progress): void
}

/**
 * The calls of a thread, as an interface of functions of a request and a context.
 *
 * @example
 * interface Calls {
 *   train(seed: number, context: CallContext<{ share: number }>): Promise<Uint8Array>
 * }
 */
type Calls<T> = { readonly [Name in keyof T]: (request: never, context: never) => unknown }
type RequestOf<Call> = Call extends (request: infer Request, context: never) => unknown
  ? Request
  : never
type AnswerOf<Call> = Call extends (request: never, context: never) => infer Answer
  ? Awaited<Answer>
  : never
type ProgressOf<Call> = Call extends (request: never, context: CallContext<infer P>) => unknown
  ? P
  : never

export interface CallOptions<Progress> {
  /** Memory that the thread takes over. */
  readonly transfer?: readonly Transferable[]
  readonly onProgress?: (progress: Progress) => void
  /** Cancels the call: its signal aborts in the thread, which still answers. */
  readonly signal?: AbortSignal
}

/** The caller's end of a thread. */
export interface Thread<T extends Calls<T>> {
  /** Rejects with the error of the call, or with `worker-failed` if the thread stops. */
  call<Name extends keyof T & string>(
    name: Name,
    request: RequestOf<T[Name]>,
    options?: CallOptions<ProgressOf<T[Name]>>,
  ): Promise<AnswerOf<T[Name]>>
  isAlive(): boolean
  /** Stops the thread at once; calls without an answer are rejected. */
  end(): Promise<void>
}

type ToThread =
  | { readonly id: number; readonly name: string; readonly request: unknown }
  | { readonly id: number; readonly cancel: true }
type FromThread =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure }

/** An error as data: its class does not survive the way between threads. */
export type Failure = ErrorBody | { readonly message: string }

export function failureOf(error: unknown): Failure {
  if (error instanceof RenError) return error.toJSON()
  return { message: error instanceof Error ? error.message : String(error) }
}

/** A `RenError` where the failure has a code. */
export function errorOf(failure: Failure): Error {
  if (!('code' in failure)) return new Error(failure.message)
  const { code, message, path, details } = failure
  return new RenError(code, message, { path, details })
}

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
  readonly onProgress: ((progress: never) => void) | undefined
}

/**
 * Connects to a thread that runs `serveCalls`. The thread keeps the process alive only while a call
 * waits for its answer.
 *
 * @param what Names the thread in errors, such as `the learner's thread`.
 * @param onDeath Called once if the thread stops without a request.
 */
export function connectThread<T extends Calls<T>>(
  worker: Worker,
  what: string,
  onDeath: (reason: RenError) => void = () => {},
): Thread<T> {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let death: RenError | null = null
  let ending = false
  const send = (message: ToThread, transfer: readonly Transferable[] = []): void =>
    worker.postMessage(message, transfer)
  const settle = (id: number): Waiting | undefined => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker.unref()
    return call
  }
  const die = (cause: unknown): void => {
    if (death !== null) return
    death = new RenError('worker-failed', `${what} stopped: ${String(cause)}`, { cause })
    for (const id of waiting.keys()) settle(id)?.reject(death)
    if (!ending) onDeath(death)
  }
  worker.on('message', (message: FromThread) => {
    if ('progress' in message) waiting.get(message.id)?.onProgress?.(message.progress as never)
    else if ('failure' in message) settle(message.id)?.reject(errorOf(message.failure))
    else settle(message.id)?.resolve(message.answer as never)
  })
  worker.on('messageerror', die)
  worker.on('error', die)
  worker.on('exit', (code) => die(`it exited with code ${code}`))
  worker.unref()

  return {
    async call(name, request, { transfer, onProgress, signal } = {}) {
      if (death !== null) throw death
      const id = ++lastId
      const cancel = (): void => send({ id, cancel: true })
      try {
        return await new Promise((resolve, reject) => {
          waiting.set(id, { resolve, reject, onProgress })
          worker.ref()
          send({ id, name, request }, transfer)
          if (signal?.aborted) cancel()
          else signal?.addEventListener('abort', cancel, { once: true })
        })
      } finally {
        signal?.removeEventListener('abort', cancel)
      }
    },
    isAlive: () => death === null,
    async end() {
      ending = true
      await worker.terminate()
    },
  }
}

/** Answers that hold memory to move instead of copying; see `moved`. */
const transfers = new WeakMap<object, readonly Transferable[]>()

/** Marks the memory of an answer that the caller takes over. */
export function moved<Answer extends object>(
  answer: Answer,
  transfer: readonly Transferable[],
): Answer {
  transfers.set(answer, transfer)
  return answer
}

/** Serves calls in a worker thread: calls run as they arrive, each with one answer. */
export function serveCalls<T extends Calls<T>>(calls: T): void {
  const port = parentPort!
  const running = new Map<number, AbortController>()
  const send = (message: FromThread, transfer: readonly Transferable[] = []): void =>
    port.postMessage(message, transfer)

  async function run(id: number, name: string, request: unknown): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    const progress = (value: unknown): void => send({ id, progress: value })
    try {
      // The name decides the type of the request, which TypeScript cannot see here.
      const call = calls[name as keyof T]
      const context = { signal: controller.signal, progress }
      const answer = await call(request as never, context as never)
      const isObject = typeof answer === 'object' && answer !== null
      send({ id, answer }, isObject ? transfers.get(answer) : [])
    } catch (error) {
      send({ id, failure: failureOf(error) })
    } finally {
      running.delete(id)
    }
  }

  port.on('message', (message: ToThread) => {
    if ('cancel' in message) running.get(message.id)?.abort()
    else void run(message.id, message.name, message.request)
  })
}
