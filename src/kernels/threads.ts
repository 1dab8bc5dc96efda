// Runs row kernels on several threads. The rows are split into one range per thread. Every row is
// computed by the same instructions for any split, so the results have the same bits as on one thread.

import { RenError, invalid } from '../core/errors.ts'
import type { Arena } from './arena.ts'
import type { RawKernels } from './contract.ts'
import { instantiate, rowKernelNames, rowsPosition } from './simd.ts'
import type { RowKernel, SimdExports } from './simd.ts'

/** The message that starts a kernel thread; the thread passes it to {@link serveKernels}. */
export interface WorkerStart {
  /** The compiled kernels. */
  readonly module: WebAssembly.Module
  /** The memory that all threads of the engine share. */
  readonly memory: WebAssembly.Memory
  /** The address of the thread's own working memory, in bytes. */
  readonly scratch: number
  /** The address through which the engine sends requests to the thread, in bytes. */
  readonly mailbox: number
}
/** A thread of an engine, as the runtime started it. */
export interface KernelWorker {
  /** Ends the thread at once. */
  terminate(): void
  /** Returns false after the thread has ended. If absent, only a timeout detects this. */
  isAlive?(): boolean
}
/**
 * Starts a kernel thread and resolves when it is ready. Node and browsers differ here;
 * `spawnKernelWorker` is the function for Node.
 */
export type SpawnWorker = (start: WorkerStart) => Promise<KernelWorker>

/** Runs in a kernel thread and handles the requests of the engine until it stops. */
export function serveKernels(start: WorkerStart, onReady: () => void): void {
  const kernels = instantiate(start.module, start.memory)
  kernels.setScratch(start.scratch)
  onReady()
  serve(openMailbox(start.memory, start.mailbox), kernels)
}

interface ThreadPool {
  readonly kernels: Pick<RawKernels, RowKernel>
  close(): void
}

/** Starts `count` workers besides the calling thread. If one fails to start, stops the others. */
export async function startThreads(
  module: WebAssembly.Module,
  arena: Arena,
  own: SimdExports,
  count: number,
  spawnWorker: SpawnWorker | undefined,
): Promise<ThreadPool> {
  if (typeof spawnWorker !== 'function') {
    throw invalid('threads: more than one needs the function spawnWorker')
  }
  const mailboxes = Array.from({ length: count }, () => arena.reserve('mailbox', MAILBOX_BYTES))
  const spawned = await Promise.allSettled(
    mailboxes.map(async (mailbox) => {
      const scratch = arena.reserve('scratch', own.scratchBytes())
      return requireWorker(await spawnWorker({ module, memory: arena.memory, scratch, mailbox }))
    }),
  )
  const workers = spawned.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const refused = spawned.find((one) => one.status === 'rejected')
  if (refused === undefined) return createThreadPool(arena.memory, own, mailboxes, workers)
  for (const worker of workers) worker.terminate()
  const cause: unknown = refused.reason
  if (cause instanceof RenError) throw cause
  throw new RenError('worker-failed', 'spawnWorker could not start a kernel thread', { cause })
}

function requireWorker(worker: unknown): KernelWorker {
  if (typeof (worker as KernelWorker | null | undefined)?.terminate === 'function') {
    return worker as KernelWorker
  }
  throw invalid('spawnWorker must resolve to a worker with terminate()')
}

export function createThreadPool(
  memory: WebAssembly.Memory,
  own: SimdExports,
  addresses: readonly number[],
  workers: readonly KernelWorker[],
  { taking, working } = patience,
): ThreadPool {
  const mailboxes = addresses.map((address) => openMailbox(memory, address))
  let failure: RenError | undefined
  let closed = false

  /**
   * After a failure, other threads may still write into the results, so the whole pool is stopped.
   */
  function fail(message: string): RenError {
    for (const worker of workers) worker.terminate()
    failure = new RenError('worker-failed', message)
    return failure
  }

  function requireAlive(kernel: RowKernel): void {
    if (failure !== undefined) {
      const message = `${kernel}: a kernel thread failed earlier; create a new engine`
      throw new RenError('worker-failed', message, { cause: failure })
    }
    if (workers.some((worker) => worker.isAlive?.() === false)) {
      throw fail(`${kernel}: a kernel thread has ended`)
    }
  }

  function join(mailbox: Mailbox): void {
    const answer = waitForAnswer(mailbox, { taking, working })
    if (answer !== 'done') throw fail(failures[answer])
  }

  return {
    kernels: shareKernels(own, mailboxes, requireAlive, join),
    close() {
      if (closed) return
      closed = true
      for (const mailbox of mailboxes) post(mailbox, STOP, [])
      for (const worker of workers) worker.terminate()
    },
  }
}

const failures = {
  silent: 'a kernel thread has stopped answering',
  failed: 'a kernel thread trapped; its part of the result is missing',
}

/** Creates row kernels that compute the last range of rows here and the others in the threads. */
function shareKernels(
  own: SimdExports,
  mailboxes: readonly Mailbox[],
  requireAlive: (kernel: RowKernel) => void,
  join: (mailbox: Mailbox) => void,
): Pick<RawKernels, RowKernel> {
  const share = (kernel: RowKernel) => {
    const position = rowsPosition(kernel)
    const number = rowKernelNames.indexOf(kernel)
    return (...args: number[]): void => {
      requireAlive(kernel)
      const cuts = cutRows(args[position]!, mailboxes.length + 1)
      const mine = cuts.length - 2
      const busy = mailboxes.slice(0, mine)
      for (const [i, mailbox] of busy.entries()) {
        post(mailbox, number, [...args, cuts[i]!, cuts[i + 1]!])
      }
      try {
        own[kernel](...args, cuts[mine]!, cuts[mine + 1]!)
      } finally {
        for (const mailbox of busy) join(mailbox)
      }
    }
  }
  const shared = Object.fromEntries(rowKernelNames.map((name) => [name, share(name)]))
  return shared as unknown as Pick<RawKernels, RowKernel>
}

// A multiple of both register tiles (6 and 4 rows), so that only the last range ends with a partial
// tile, which is slower. The values do not depend on it.
const ROW_UNIT = 12

/** Splits [0, rows) into at most `parts` even ranges of whole units. Returns their bounds. */
export function cutRows(rows: number, parts: number): readonly number[] {
  const units = Math.ceil(rows / ROW_UNIT)
  const used = Math.max(1, Math.min(parts, units))
  const borders = Array.from({ length: used }, (_, i) => Math.round((i * units) / used) * ROW_UNIT)
  return [...borders, rows]
}

// The caller and a worker thread communicate through a few words of shared memory. The caller writes
// the arguments and increments `request`; the worker copies it to `taken`, computes, and copies it to
// `done`. Both spin for a while before they sleep, because waking a thread takes longer than most
// kernels.

/** Bytes of a worker's mailbox. */
export const MAILBOX_BYTES = 256

const [REQUEST, TAKEN, DONE, FAILED] = [0, 1, 2, 3]
const ARGUMENTS = 16 // the byte offset of the arguments, as float64: kernel, count, arguments
const STOP = -1
const SPINS = 100_000
const NAP_MILLISECONDS = 100
const SPINS_PER_NAP = 4_000_000 // about as long as a nap, for threads that must not sleep

interface Mailbox {
  readonly words: Int32Array
  readonly numbers: Float64Array
}

function openMailbox(memory: WebAssembly.Memory, address: number): Mailbox {
  const capacity = (MAILBOX_BYTES - ARGUMENTS) / 8
  return {
    words: new Int32Array(memory.buffer, address, 4),
    numbers: new Float64Array(memory.buffer, address + ARGUMENTS, capacity),
  }
}

function post({ words, numbers }: Mailbox, kernel: number, args: readonly number[]): void {
  numbers.set([kernel, args.length, ...args])
  Atomics.add(words, REQUEST, 1)
  Atomics.notify(words, REQUEST)
}

/** The worker's loop: wait for a request, compute, report. Returns after `STOP`. */
function serve({ words, numbers }: Mailbox, kernels: SimdExports): void {
  let seen = 0
  for (;;) {
    waitUntil(words, REQUEST, (value) => value !== seen)
    seen = Atomics.load(words, REQUEST)
    Atomics.store(words, TAKEN, seen)
    const [kernel, count] = [numbers[0]!, numbers[1]!]
    if (kernel === STOP) return
    try {
      kernels[rowKernelNames[kernel]!](...numbers.subarray(2, 2 + count))
    } catch {
      // A trap does not cross threads, so the caller converts this word into an error.
      Atomics.store(words, FAILED, 1)
    }
    Atomics.store(words, DONE, seen)
    Atomics.notify(words, DONE)
  }
}

/** The number of naps that a caller waits for a request to be taken, and then for its result. */
interface Patience {
  readonly taking: number
  readonly working: number
}

// An idle worker takes a request at once, so after ten seconds it is considered dead. Its share of the
// largest product that fits the memory can take many minutes, so the limit for the result is an hour.
const patience: Patience = { taking: 100, working: 36_000 }

/** Waits for the result of the last request. */
function waitForAnswer(
  { words }: Mailbox,
  { taking, working }: Patience,
): 'done' | 'failed' | 'silent' {
  const request = Atomics.load(words, REQUEST)
  const isDone = (value: number): boolean => value === request
  const answered =
    waitUntil(words, DONE, isDone, taking) ||
    (Atomics.load(words, TAKEN) === request && waitUntil(words, DONE, isDone, working))
  if (!answered) return 'silent'
  return Atomics.load(words, FAILED) === 1 ? 'failed' : 'done'
}

/**
 * Spins, then sleeps, until a word satisfies the condition. Returns false after `naps` timeouts.
 */
function waitUntil(
  words: Int32Array,
  word: number,
  satisfies: (value: number) => boolean,
  naps = Number.POSITIVE_INFINITY,
): boolean {
  for (let spin = 0; spin < SPINS; spin++) if (satisfies(Atomics.load(words, word))) return true
  for (let nap = 0; nap < naps;) {
    const value = Atomics.load(words, word)
    if (satisfies(value)) return true
    if (sleep(words, word, value) === 'timed-out') nap += 1
  }
  return false
}

function sleep(words: Int32Array, word: number, value: number): string {
  try {
    return Atomics.wait(words, word, value, NAP_MILLISECONDS)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The main thread of a browser must not sleep, so it spins.
    for (let spin = 0; spin < SPINS_PER_NAP; spin++) {
      if (Atomics.load(words, word) !== value) return 'not-equal'
    }
    return 'timed-out'
  }
}
