// Kernels over several threads. A row kernel's rows are cut into one range a thread; each row is
// computed by the same instructions wherever the cut falls, so the result is bit-equal to one thread.

import { RenError } from '../core/errors.ts'
import type { Arena } from './arena.ts'
import type { RawKernels } from './contract.ts'
import {
  MAILBOX_BYTES,
  openMailbox,
  patience,
  post,
  postStop,
  serve,
  waitForAnswer,
} from './mailbox.ts'
import type { Mailbox } from './mailbox.ts'
import { instantiate, rowKernelNames, rowsPosition } from './simd.ts'
import type { RowKernel, SimdExports } from './simd.ts'

/** What a new worker is sent; it then calls `serveKernels` with it. */
export interface WorkerStart {
  readonly module: WebAssembly.Module
  readonly memory: WebAssembly.Memory
  readonly scratch: number
  readonly mailbox: number
}
export interface KernelWorker {
  terminate(): void
  /** False once it is known to have ended; without this, its silence is what tells. */
  isAlive?(): boolean
}
/** Starts a worker and resolves once it serves; injected, since Node and browsers differ. */
export type SpawnWorker = (start: WorkerStart) => Promise<KernelWorker>

/** Handles the messages of a worker until the one to stop. */
export function serveKernels(start: WorkerStart, onReady: () => void): void {
  const kernels = instantiate(start.module, start.memory)
  kernels.setScratch(start.scratch)
  onReady()
  serve(openMailbox(start.memory, start.mailbox), (kernel, args) => {
    kernels[rowKernelNames[kernel]!](...args)
  })
}

export interface ThreadPool {
  readonly kernels: Pick<RawKernels, RowKernel>
  close(): void
}

/** Starts `count` workers beside the caller; if one cannot be had, the others are ended. */
export async function startThreads(
  module: WebAssembly.Module,
  arena: Arena,
  own: SimdExports,
  count: number,
  spawnWorker: SpawnWorker | undefined,
): Promise<ThreadPool> {
  if (typeof spawnWorker !== 'function') {
    throw new RenError('invalid-argument', 'threads: more than one needs the function spawnWorker')
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
  throw new RenError('invalid-argument', 'spawnWorker must resolve to a worker with terminate()')
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

  /** After one failure nobody knows who still writes where, so the pool is given up. */
  function fail(message: string): RenError {
    for (const worker of workers) worker.terminate()
    failure = new RenError('worker-failed', message)
    return failure
  }

  function requireAlive(kernel: RowKernel): void {
    if (failure !== undefined) {
      const message = `${kernel}: a kernel thread failed earlier; make a new engine`
      throw new RenError('worker-failed', message, { cause: failure })
    }
    if (workers.some((worker) => worker.isAlive?.() === false)) {
      throw fail(`${kernel}: a kernel thread has ended`)
    }
  }

  function join(mailbox: Mailbox): void {
    const answer = waitForAnswer(mailbox, { taking, working })
    if (answer === 'silent') throw fail('a kernel thread has stopped answering')
    if (answer === 'failed') {
      throw fail('a kernel thread trapped; its part of the result is missing')
    }
  }

  function share(kernel: RowKernel): (...args: number[]) => void {
    const position = rowsPosition(kernel)
    const number = rowKernelNames.indexOf(kernel)
    return (...args) => {
      requireAlive(kernel)
      const cuts = cutRows(args[position]!, mailboxes.length + 1)
      const mine = cuts.length - 2
      const asked = mailboxes.slice(0, mine)
      for (const [i, mailbox] of asked.entries()) {
        post(mailbox, number, [...args, cuts[i]!, cuts[i + 1]!])
      }
      try {
        own[kernel](...args, cuts[mine]!, cuts[mine + 1]!)
      } finally {
        for (const mailbox of asked) join(mailbox)
      }
    }
  }

  return {
    kernels: Object.fromEntries(
      rowKernelNames.map((name) => [name, share(name)]),
    ) as unknown as Pick<RawKernels, RowKernel>,
    close() {
      if (closed) return
      closed = true
      for (const mailbox of mailboxes) postStop(mailbox)
      for (const worker of workers) worker.terminate()
    },
  }
}

// A multiple of both register tiles (6 and 4 rows): a range before the last ends on no part of a
// tile, which would cost time. The values do not depend on it.
const ROW_UNIT = 12

/** Cuts [0, rows) into at most `parts` even ranges of whole units: their borders, from 0 to rows. */
export function cutRows(rows: number, parts: number): readonly number[] {
  const units = Math.ceil(rows / ROW_UNIT)
  const used = Math.max(1, Math.min(parts, units))
  const borders = Array.from({ length: used }, (_, i) => Math.round((i * units) / used) * ROW_UNIT)
  return [...borders, rows]
}
