// Starts a kernel thread in Node.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

import { RenError } from '../core/errors.ts'
import type { KernelWorker, WorkerStart } from '../kernels/index.ts'

/** The number of threads that an engine can use on this machine; engines have at most 64. */
export const usableThreads = (): number => Math.min(64, availableParallelism())

/**
 * Starts a thread for `createEngine({ threads, spawnWorker: spawnKernelWorker })`. The thread does
 * not prevent the process from ending.
 */
export function spawnKernelWorker(start: WorkerStart): Promise<KernelWorker> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./kernel-worker.${extension}`, import.meta.url), {
    workerData: start,
  })
  let alive = true
  return new Promise((resolve, reject) => {
    // After the promise has resolved, `reject` has no effect, and only `alive` changes.
    const end = (cause: unknown): void => {
      alive = false
      reject(new RenError('worker-failed', 'a kernel thread could not be started', { cause }))
    }
    worker.once('error', end)
    worker.once('exit', (code) => end(new Error(`the thread exited with code ${code}`)))
    worker.once('message', () => {
      worker.unref()
      resolve({ isAlive: () => alive, terminate: () => void worker.terminate() })
    })
  })
}
