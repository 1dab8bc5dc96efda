// Runs shared kernels (sharing.ts) on several threads. The caller posts a job on a board in shared memory:
// a pass, its arguments, and the bounds of its parts. Every thread, the caller included, claims parts, its
// own first, until none is left. So the caller never waits for a thread that is asleep or suspended; it
// waits only for parts that another thread has begun.

import { RenError, invalid } from '../core/errors.ts'
import type { Arena } from './arena.ts'
import { contract, kernelNames } from './contract.ts'
import type { RawKernels } from './contract.ts'
import { cut, furtherPasses, sharedKernels, sharing } from './sharing.ts'
import type { Pass, SharedKernel } from './sharing.ts'
import { instantiate } from './simd.ts'
import type { SimdExports } from './simd.ts'

/** The message that starts a kernel thread; the thread passes it to {@link serveKernels}. */
export interface WorkerStart {
  /** The compiled kernels. */
  readonly module: WebAssembly.Module
  /** The memory that all threads of the engine share. */
  readonly memory: WebAssembly.Memory
  /** The address of the thread's own working memory, in bytes. */
  readonly scratch: number
  /** The address of the board on which the engine posts its jobs, in bytes. */
  readonly board: number
  /** The index of the thread among the threads of the engine. */
  readonly index: number
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

/** Runs in a kernel thread and handles the jobs of the engine until it stops. */
export function serveKernels(start: WorkerStart, onReady: () => void): void {
  const kernels = instantiate(start.module, start.memory)
  kernels.setScratch(start.scratch)
  onReady()
  serve(openBoard(start.memory, start.board), start.index, kernels)
}

interface ThreadPool {
  readonly kernels: Pick<RawKernels, SharedKernel>
  close(): void
}

export interface PoolOptions {
  readonly spawnWorker: SpawnWorker | undefined
  /** Returns how many threads to use, the caller included. */
  readonly activeThreads: () => number
}

/** Starts `count` workers besides the calling thread. If one fails to start, stops the others. */
export async function startThreads(
  module: WebAssembly.Module,
  arena: Arena,
  own: SimdExports,
  count: number,
  { spawnWorker, activeThreads }: PoolOptions,
): Promise<ThreadPool> {
  if (typeof spawnWorker !== 'function') {
    throw invalid('threads: more than one needs the function spawnWorker')
  }
  const { memory } = arena
  const board = arena.reserve('board', BOARD_BYTES)
  const spawned = await Promise.allSettled(
    Array.from({ length: count }, async (_, index) => {
      const scratch = arena.reserve('scratch', own.scratchBytes())
      return requireWorker(await spawnWorker({ module, memory, scratch, board, index }))
    }),
  )
  const workers = spawned.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const refused = spawned.find((one) => one.status === 'rejected')
  if (refused === undefined) {
    return createThreadPool(own, openBoard(memory, board), workers, activeThreads)
  }
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

/** @param naps The number of naps that the caller waits for parts that others have begun. */
export function createThreadPool(
  own: SimdExports,
  board: Board,
  workers: readonly KernelWorker[],
  activeThreads: () => number,
  naps = PATIENCE,
): ThreadPool {
  const { requireAlive, fail } = watch(workers)
  let closed = false

  function run(pass: Pass, args: readonly number[]): void {
    const threads = Math.min(workers.length + 1, activeThreads())
    const parts = Math.min(threads, Math.floor(pass.cost / MIN_PART_COST))
    if (parts < 2) return void own[pass.name](...args)
    const bounds = cut(pass, parts)
    post(board, pass.name, args, bounds)
    const count = bounds.length - 1
    computeParts(board, count - 1, own)
    const isDone = waitUntil(board.words, DONE, (done) => done === count, naps)
    if (!isDone) throw fail('a kernel thread has stopped answering')
    if (Atomics.load(board.words, FAILED) === 1) {
      throw fail('a kernel thread trapped; its part of the result is missing')
    }
  }

  const share = (kernel: SharedKernel) => {
    const passesOf = passReader(kernel)
    return (...args: number[]): void => {
      requireAlive(kernel)
      for (const pass of passesOf(args)) run(pass, args)
    }
  }
  const shared = Object.fromEntries(sharedKernels.map((name) => [name, share(name)]))
  return {
    kernels: shared as unknown as Pick<RawKernels, SharedKernel>,
    close() {
      if (closed) return
      closed = true
      stop(board, workers.length)
      for (const worker of workers) worker.terminate()
    },
  }
}

/** Reports the failure of a thread, from then on at every call. */
function watch(workers: readonly KernelWorker[]) {
  let failure: RenError | undefined
  // After a failure, other threads may still write into the results, so the whole pool is stopped.
  const fail = (message: string): RenError => {
    for (const worker of workers) worker.terminate()
    failure = new RenError('worker-failed', message)
    return failure
  }
  const requireAlive = (kernel: SharedKernel): void => {
    if (failure !== undefined) {
      const message = `${kernel}: a kernel thread failed earlier; create a new engine`
      throw new RenError('worker-failed', message, { cause: failure })
    }
    if (workers.some((worker) => worker.isAlive?.() === false)) {
      throw fail(`${kernel}: a kernel thread has ended`)
    }
  }
  return { fail, requireAlive }
}

/** Creates a function that returns the passes for the raw arguments of a kernel. */
export function passReader(kernel: SharedKernel): (args: readonly number[]) => readonly Pass[] {
  const positions = [...contract[kernel].entries()].filter(([, { kind }]) => kind === 'size')
  const sizes: Record<string, number> = {}
  const passesOf = sharing[kernel] as (sizes: Readonly<Record<string, number>>) => readonly Pass[]
  return (args) => {
    for (const [position, { name }] of positions) sizes[name] = args[position]!
    return passesOf(sizes)
  }
}

// The board: words for synchronization, then float64 numbers that describe the job.

const MAX_PARTS = 64
const MAX_ARGUMENTS = 24
const [PARTS, DONE, FAILED, STOPPED] = [0, 1, 2, 3]
export const JOBS = 16 // one word per thread: the number of jobs that were posted to it
export const CLAIMS = JOBS + MAX_PARTS // one word per part: 1 if nobody has claimed it
const WORDS = CLAIMS + MAX_PARTS
const [PASS, COUNT, ARGUMENTS] = [0, 1, 2]
const BOUNDS = ARGUMENTS + MAX_ARGUMENTS
const NUMBERS = BOUNDS + MAX_PARTS + 1
export const BOARD_BYTES = 4 * WORDS + 8 * NUMBERS

/** Handing over a smaller part takes longer than computing it. */
const MIN_PART_COST = 2 ** 16

const passNames = [...kernelNames, ...furtherPasses]
const numberOf = new Map(passNames.map((name, number) => [name, number]))

export interface Board {
  readonly words: Int32Array
  readonly numbers: Float64Array
}

export function openBoard({ buffer }: WebAssembly.Memory, address: number): Board {
  return {
    words: new Int32Array(buffer, address, WORDS),
    numbers: new Float64Array(buffer, address + 4 * WORDS, NUMBERS),
  }
}

/** Posts a job to as many threads as it has parts, without the caller. */
function post(
  { words, numbers }: Board,
  pass: Pass['name'],
  args: readonly number[],
  bounds: readonly number[],
): void {
  const parts = bounds.length - 1
  numbers[PASS] = numberOf.get(pass)!
  numbers[COUNT] = args.length
  numbers.set(args, ARGUMENTS)
  numbers.set(bounds, BOUNDS)
  Atomics.store(words, DONE, 0)
  Atomics.store(words, PARTS, parts)
  // A thread reads the job only after it has claimed a part, so everything else is written before.
  for (let part = 0; part < parts; part++) Atomics.store(words, CLAIMS + part, 1)
  for (let thread = 0; thread < parts - 1; thread++) wake(words, thread)
}

function wake(words: Int32Array, thread: number): void {
  Atomics.add(words, JOBS + thread, 1)
  Atomics.notify(words, JOBS + thread)
}

function stop({ words }: Board, threads: number): void {
  Atomics.store(words, STOPPED, 1)
  for (let thread = 0; thread < threads; thread++) wake(words, thread)
}

/** The loop of a kernel thread: waits for a job, and helps with it. Returns when the pool stops. */
function serve(board: Board, thread: number, kernels: SimdExports): void {
  const { words } = board
  for (let seen = 0; Atomics.load(words, STOPPED) === 0;) {
    waitUntil(words, JOBS + thread, (jobs) => jobs !== seen)
    seen = Atomics.load(words, JOBS + thread)
    computeParts(board, thread, kernels)
  }
}

/** Computes the parts that no thread has claimed, from part `first` on. */
function computeParts(board: Board, first: number, kernels: SimdExports): void {
  const { words } = board
  const parts = Atomics.load(words, PARTS)
  for (let i = 0; i < parts; i++) {
    const part = (first + i) % parts
    if (Atomics.compareExchange(words, CLAIMS + part, 1, 0) === 1) compute(board, part, kernels)
  }
}

/** Computes a claimed part. The job cannot change before DONE counts the part. */
function compute({ words, numbers }: Board, part: number, kernels: SimdExports): void {
  const args = numbers.subarray(ARGUMENTS, ARGUMENTS + numbers[COUNT]!)
  const [begin, end] = [numbers[BOUNDS + part]!, numbers[BOUNDS + part + 1]!]
  try {
    kernels[passNames[numbers[PASS]!]!](...args, begin, end)
  } catch {
    // A trap does not cross threads, so the caller converts this word into an error.
    Atomics.store(words, FAILED, 1)
  }
  Atomics.add(words, DONE, 1)
  Atomics.notify(words, DONE)
}

// Waking a thread takes longer than most kernels, so threads spin for a while before they sleep. An idle
// thread sleeps and takes no time.

const SPINS = 100_000 // about 0.2 ms
const NAP_MILLISECONDS = 100
const SPINS_PER_NAP = 4_000_000 // about as long as a nap, for threads that must not sleep
/**
 * A part of the largest product that fits the memory can take many minutes, so the limit is an hour.
 */
const PATIENCE = 36_000

/**
 * Spins, then sleeps, until a word satisfies the condition. Returns false after `naps` timeouts; without
 * `naps`, it never returns false.
 */
function waitUntil(
  words: Int32Array,
  word: number,
  satisfies: (value: number) => boolean,
  naps?: number,
): boolean {
  if (spin(words, word, satisfies, SPINS)) return true
  const timeout = naps === undefined ? Infinity : NAP_MILLISECONDS
  for (let nap = 0; nap < (naps ?? Infinity);) {
    const value = Atomics.load(words, word)
    if (satisfies(value)) return true
    if (sleep(words, word, value, timeout) === 'timed-out') nap += 1
  }
  return false
}

function spin(
  words: Int32Array,
  word: number,
  satisfies: (value: number) => boolean,
  spins: number,
): boolean {
  for (let i = 0; i < spins; i++) if (satisfies(Atomics.load(words, word))) return true
  return false
}

function sleep(words: Int32Array, word: number, value: number, timeout: number): string {
  try {
    return Atomics.wait(words, word, value, timeout)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The main thread of a browser must not sleep, so it spins.
    return spin(words, word, (now) => now !== value, SPINS_PER_NAP) ? 'not-equal' : 'timed-out'
  }
}
