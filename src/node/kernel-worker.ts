// The worker thread behind spawn-kernel-worker.ts.

import { parentPort, workerData } from 'node:worker_threads'

import { serveKernels, type WorkerStart } from '../kernels/index.ts'

serveKernels(workerData as WorkerStart, () => parentPort!.postMessage('ready'))
