// How Node starts a kernel thread.

import { Worker } from 'node:worker_threads'

import { RenError } from '../core/errors.ts'
import type { KernelWorker, WorkerStart } from '../kernels/index.ts'

/** Starts a thread for `createEngine({ threads, spawnWorker })`; it never keeps the process alive. */
export function spawnKernelWorker(start: WorkerStart): Promise<KernelWorker> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./kernel-worker.${extension}`, import.meta.url), {
    workerData: start,
  })
  return new Promise((resolve, reject) => {
    worker.once('message', () => {
      worker.unref()
      resolve({ terminate: () => void worker.terminate() })
    })
    worker.once('error', (cause) => {
      reject(new RenError('worker-failed', 'a kernel thread could not be started', { cause }))
    })
  })
}
