// Typed calls to a worker thread: requests and answers, with progress, cancellation, transfer of
// memory, and errors that retain their code, path and details.

import { parentPort, type Transferable, type Worker } from 'node:worker_threads'

import { RenError, type ErrorBody } from '../core/errors.ts'

/** The second argument of a call in the thread that serves it. */
export interface CallContext<Progress = never> {
  /** Aborts when the caller cancels the call. */
  readonly signal: AbortSignal
  progress(value: Progress): void
}

/**
 * The calls of a thread: an interface of functions that take a request and a context.
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
  /** Buffers to transfer to the thread. */
  readonly transfer?: readonly Transferable[]
  readonly onProgress?: (progress: Progress) => void
  /** Cancels the call: the signal of its context aborts in the thread, which still answers. */
  readonly signal?: AbortSignal
  /** Whether the process may end before the answer. Defaults to false. */
  readonly background?: boolean
}

type ToThread =
  | { readonly id: number; readonly name: string; readonly request: unknown }
  | { readonly id: number; readonly cancel: true }
type FromThread =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure }

/** An error as data, because messages between threads do not retain its class. */
export type Failure = ErrorBody | { readonly message: string }

export function failureOf(error: unknown): Failure {
  if (error instanceof RenError) return error.toJSON()
  return { message: error instanceof Error ? error.message : String(error) }
}

/** Recreates the error: a `RenError` if the failure has a code. */
export function errorOf(failure: Failure): Error {
  if (!('code' in failure)) return new Error(failure.message)
  const { code, message, path, details } = failure
  return new RenError(code, message, { path, details })
}

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
  readonly onProgress: ((progress: never) => void) | undefined
  readonly background: boolean
}

/**
 * The caller's side of a thread that runs `serveCalls`. It prevents the process from ending only
 * while a call waits for its answer.
 */
export class Thread<T extends Calls<T>> {
  readonly #worker: Worker
  readonly #what: string
  readonly #onExit: (reason: RenError) => void
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #failure: RenError | null = null
  #ending = false

  /**
   * @param what The name of the thread in errors, such as `the learner's thread`.
   * @param onExit Called once if the thread stops by itself.
   */
  constructor(worker: Worker, what: string, onExit: (reason: RenError) => void = () => {}) {
    this.#worker = worker
    this.#what = what
    this.#onExit = onExit
    const fail = (cause: unknown): void => this.#fail(cause)
    worker.on('message', (message: FromThread) => this.#receive(message))
    worker.on('messageerror', fail)
    worker.on('error', fail)
    worker.on('exit', (code) => fail(`it exited with code ${code}`))
    worker.unref()
  }

  isAlive(): boolean {
    return this.#failure === null
  }

  /** Rejects with the error of the call, or with `worker-failed` if the thread stops. */
  async call<Name extends keyof T & string>(
    name: Name,
    request: RequestOf<T[Name]>,
    options: CallOptions<ProgressOf<T[Name]>> = {},
  ): Promise<AnswerOf<T[Name]>> {
    if (this.#failure !== null) throw this.#failure
    const { transfer, onProgress, signal, background = false } = options
    const id = ++this.#lastId
    const cancel = (): void => this.#send({ id, cancel: true })
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onProgress, background })
        if (!background) this.#worker.ref()
        this.#send({ id, name, request }, transfer)
        if (signal?.aborted) cancel()
        else signal?.addEventListener('abort', cancel, { once: true })
      })
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Stops the thread at once and rejects the calls that wait for an answer. */
  async end(): Promise<void> {
    this.#ending = true
    await this.#worker.terminate()
  }

  #send(message: ToThread, transfer: readonly Transferable[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  #receive(message: FromThread): void {
    const { id } = message
    if ('progress' in message) this.#waiting.get(id)?.onProgress?.(message.progress as never)
    else if ('failure' in message) this.#settle(id)?.reject(errorOf(message.failure))
    else this.#settle(id)?.resolve(message.answer as never)
  }

  #settle(id: number): Waiting | undefined {
    const call = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.values().every(({ background }) => background)) this.#worker.unref()
    return call
  }

  #fail(cause: unknown): void {
    if (this.#failure !== null) return
    const message = `${this.#what} stopped: ${String(cause)}`
    this.#failure = new RenError('worker-failed', message, { cause })
    for (const id of this.#waiting.keys()) this.#settle(id)?.reject(this.#failure)
    if (!this.#ending) this.#onExit(this.#failure)
  }
}

/** Returns the buffers of all typed arrays in a plain value, for a transfer. */
export function memoryOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteLength } = value
    const owned = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    return owned ? [buffer] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(memoryOf))]
}

/** Answers and progress values to transfer instead of copy; see `moved`. */
const movedValues = new WeakSet<object>()

/** Marks an answer or progress value, so that its buffers are transferred to the caller. */
export function moved<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) movedValues.add(value)
  return value
}

const transferOf = (value: unknown): ArrayBuffer[] =>
  movedValues.has(value as object) ? memoryOf(value) : []

/** Serves calls in a worker thread. Calls start as they arrive, and each gets one answer. */
export function serveCalls<T extends Calls<T>>(calls: T): void {
  const port = parentPort!
  const running = new Map<number, AbortController>()
  const send = (message: FromThread, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer)

  async function run(id: number, name: string, request: unknown): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    const progress = (value: unknown): void => send({ id, progress: value }, transferOf(value))
    try {
      // TypeScript cannot relate the type of the request to the name of the call here.
      const call = calls[name as keyof T]
      const context = { signal: controller.signal, progress }
      const answer = await call(request as never, context as never)
      send({ id, answer }, transferOf(answer))
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
