// The main thread's end of a training thread: one run, from its start until it ends, fails or is
// terminated.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { errorCodes, RenError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { FittedBlend } from '../../recommender/fit-blend.ts'
import type {
  TrainingProgress,
  TrainingRun,
  TrainingRunResult,
} from '../../recommender/full-training.ts'
import { memoryOf } from '../learning/calls.ts'

// Messages between the learner and a training thread. A thread makes one run.

export interface TrainingStart extends TrainingRun {
  /** Seconds between two checkpoints, at least; they are taken at the end of an epoch. */
  readonly checkpointSeconds: number
}

type TrainingFigures = Omit<TrainingProgress, 'checkpoint'>

export type TrainingMessage =
  | { readonly kind: 'baseline'; readonly baseline: FittedBlend }
  | { readonly kind: 'progress'; readonly figures: TrainingFigures }
  | { readonly kind: 'checkpoint'; readonly epoch: number; readonly bytes: Uint8Array }
  | { readonly kind: 'result'; readonly result: TrainingRunResult }
  | { readonly kind: 'failure'; readonly message: string; readonly code?: string }

export type SpawnTraining = (start: TrainingStart) => Worker

export interface TrainingListeners {
  readonly onBaseline: (baseline: FittedBlend) => void
  readonly onProgress: (figures: TrainingFigures) => void
  readonly onCheckpoint: (epoch: number, bytes: Uint8Array) => void
}

/** TypeScript in the checkout, JavaScript in the published package. The histories are moved. */
export const spawnTraining: SpawnTraining = (start) =>
  new Worker(new URL(`./training-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: start,
    transferList: memoryOf(start),
    // As for the learner: arrays that die young are then found soon (ML-1M: 60 MB less).
    resourceLimits: { maxYoungGenerationSizeMb: 6 },
  })

/** Resolves with the result of the run. When the signal aborts, the thread ends where it stands. */
export async function runInThread(
  spawn: SpawnTraining,
  start: TrainingStart,
  { onBaseline, onProgress, onCheckpoint }: TrainingListeners,
  signal: AbortSignal,
): Promise<TrainingRunResult> {
  signal.throwIfAborted()
  const worker = spawn(start)
  // A run keeps no process alive.
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<TrainingRunResult>()
  const fail = (cause: unknown): void =>
    reject(
      new RenError('worker-failed', `the training thread stopped: ${String(cause)}`, { cause }),
    )
  worker.on('message', (message: TrainingMessage) => {
    if (signal.aborted) return
    if (message.kind === 'baseline') onBaseline(message.baseline)
    else if (message.kind === 'progress') onProgress(message.figures)
    else if (message.kind === 'checkpoint') onCheckpoint(message.epoch, message.bytes)
    else if (message.kind === 'result') resolve(message.result)
    else reject(errorOf(message))
  })
  worker.on('messageerror', fail)
  worker.on('error', fail)
  worker.on('exit', (code) => fail(`it exited with code ${code}`))
  const abort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

function errorOf({ message, code }: { readonly message: string; readonly code?: string }): Error {
  const known = code !== undefined && Object.hasOwn(errorCodes, code)
  return known ? new RenError(code as ErrorCode, message) : new Error(message)
}
