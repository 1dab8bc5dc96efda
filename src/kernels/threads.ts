// Kernels over several threads. A row kernel's rows are cut into one range a thread; each row is
// computed by the same instructions wherever the cut falls, so the result is bit-equal to one thread.
//
// Caller and workers talk through a few words of shared memory: the caller writes the arguments and
// raises `request`, the worker computes and raises `done`. Both look for a while before they sleep,
// because waking a sleeping thread costs more than most kernels take.

import { RenError } from '../core/errors.ts'
import { instantiate, rowKernelNames, rowsPosition } from './simd.ts'
import type { RowKernel, SimdExports } from './simd.ts'
import type { RawKernels } from './contract.ts'

/** What a new worker is sent; it then calls `serveKernels` with it. */
export interface WorkerStart {
  readonly module: WebAssembly.Module
  readonly memory: WebAssembly.Memory
  readonly scratch: number
  readonly control: number
}
export interface KernelWorker {
  terminate(): void
}
/** Starts a worker and resolves once it serves; injected, since Node and browsers differ. */
export type SpawnWorker = (start: WorkerStart) => Promise<KernelWorker>

/** Bytes of a worker's control block. */
export const CONTROL_BYTES = 256

const [REQUEST, DONE, FAILED] = [0, 1, 2]
const ARGUMENTS = 16 // bytes into the block; float64: kernel, count, then the arguments
const STOP = -1
const LOOKS = 100_000
const NAP_MILLISECONDS = 100
// No kernel runs for a minute; a worker that is silent so long is gone.
const MOST_NAPS = 600
// A multiple of both register tiles (6 and 4 rows): no thread ends on a part of a tile.
const ROW_UNIT = 12

interface Control {
  readonly words: Int32Array
  readonly numbers: Float64Array
}

function openControl(memory: WebAssembly.Memory, address: number): Control {
  return {
    words: new Int32Array(memory.buffer, address, 3),
    numbers: new Float64Array(memory.buffer, address + ARGUMENTS, (CONTROL_BYTES - ARGUMENTS) / 8),
  }
}

/** The worker's life: wait for a request, compute, say so. Returns when told to stop. */
export function serveKernels(start: WorkerStart, onReady: () => void): void {
  const kernels = instantiate(start.module, start.memory)
  kernels.setScratch(start.scratch)
  const { words, numbers } = openControl(start.memory, start.control)
  let seen = 0
  onReady()
  for (;;) {
    waitUntil(words, REQUEST, (value) => value !== seen)
    seen = Atomics.load(words, REQUEST)
    const [kernel, count] = [numbers[0]!, numbers[1]!]
    if (kernel === STOP) return
    try {
      kernels[rowKernelNames[kernel]!](...numbers.subarray(2, 2 + count))
    } catch {
      // A trap cannot cross threads; the caller turns this word into an error.
      Atomics.store(words, FAILED, 1)
    }
    Atomics.store(words, DONE, seen)
    Atomics.notify(words, DONE)
  }
}

/** Looks at a word until it satisfies, then sleeps between looks; false if it never did. */
function waitUntil(
  words: Int32Array,
  word: number,
  satisfies: (value: number) => boolean,
  naps = Number.POSITIVE_INFINITY,
): boolean {
  for (let look = 0; look < LOOKS; look++) if (satisfies(Atomics.load(words, word))) return true
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
    // A browser's main thread may not sleep: it goes on looking.
    if (error instanceof TypeError) return 'awake'
    throw error
  }
}

export interface ThreadPool {
  readonly kernels: Pick<RawKernels, RowKernel>
  close(): void
}

export function createThreadPool(
  memory: WebAssembly.Memory,
  own: SimdExports,
  controlAddresses: readonly number[],
  workers: readonly KernelWorker[],
): ThreadPool {
  const controls = controlAddresses.map((address) => openControl(memory, address))
  let closed = false

  function post(control: Control, kernel: number, args: readonly number[]): void {
    control.numbers.set([kernel, args.length, ...args])
    Atomics.add(control.words, REQUEST, 1)
    Atomics.notify(control.words, REQUEST)
  }

  function join(control: Control): void {
    const asked = Atomics.load(control.words, REQUEST)
    if (!waitUntil(control.words, DONE, (value) => value === asked, MOST_NAPS)) {
      throw new RenError('worker-failed', 'a kernel thread has stopped answering')
    }
    if (Atomics.exchange(control.words, FAILED, 0) === 1) {
      throw new RenError(
        'worker-failed',
        'a kernel thread trapped; its part of the result is missing',
      )
    }
  }

  function share(kernel: RowKernel): (...args: number[]) => void {
    const position = rowsPosition(kernel)
    const number = rowKernelNames.indexOf(kernel)
    return (...args) => {
      if (closed) throw new RenError('use-after-free', `${kernel}: the engine was closed`)
      const cuts = cutRows(args[position]!, controls.length + 1)
      const mine = cuts.length - 2
      for (let i = 0; i < mine; i++) post(controls[i]!, number, [...args, cuts[i]!, cuts[i + 1]!])
      own[kernel](...args, cuts[mine]!, cuts[mine + 1]!)
      for (let i = 0; i < mine; i++) join(controls[i]!)
    }
  }

  return {
    kernels: Object.fromEntries(
      rowKernelNames.map((name) => [name, share(name)]),
    ) as unknown as Pick<RawKernels, RowKernel>,
    close() {
      if (closed) return
      closed = true
      for (const control of controls) post(control, STOP, [])
      for (const worker of workers) worker.terminate()
    },
  }
}

/** Cuts [0, rows) into at most `parts` even ranges of whole units: their borders, from 0 to rows. */
export function cutRows(rows: number, parts: number): readonly number[] {
  const units = Math.ceil(rows / ROW_UNIT)
  const used = Math.max(1, Math.min(parts, units))
  const borders = Array.from({ length: used }, (_, i) => Math.round((i * units) / used) * ROW_UNIT)
  return [...borders, rows]
}
