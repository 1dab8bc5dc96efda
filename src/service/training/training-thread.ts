// Runs one full training in its own thread, until it ends, fails or is aborted.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { memoryOf, Thread, type CallContext } from '../../node/thread.ts'
import type { FittedBlend } from '../../recommender/fit-blend.ts'
import type {
  TrainingProgress,
  TrainingRun,
  TrainingRunResult,
} from '../../recommender/full-training.ts'
import type { LastCall } from './spare-cores.ts'

export interface TrainingStart extends TrainingRun {
  /** The number of threads while no request arrives. */
  readonly threads: number
  readonly lastCall: LastCall
  /** Minimum number of seconds between two checkpoints, which are taken at the end of an epoch. */
  readonly checkpointSeconds: number
}

type TrainingFigures = Omit<TrainingProgress, 'checkpoint'>

/** A progress report of a run. */
export type TrainingReport =
  | { readonly baseline: FittedBlend }
  | { readonly figures: TrainingFigures }
  | { readonly epoch: number; readonly checkpoint: Uint8Array }

export interface TrainingCalls {
  train(start: TrainingStart, context: CallContext<TrainingReport>): Promise<TrainingRunResult>
}

/** Resolves with the result of the run. When the signal aborts, the thread is terminated. */
export type TrainInThread = (
  start: TrainingStart,
  onReport: (report: TrainingReport) => void,
  signal: AbortSignal,
) => Promise<TrainingRunResult>

export const trainInThread: TrainInThread = async (start, onReport, signal) => {
  signal.throwIfAborted()
  // TypeScript in the checkout, JavaScript in the published package.
  const url = new URL(`./training-worker${extname(import.meta.url)}`, import.meta.url)
  // See `spawnThread` of the learner. On ML-1M, this saves 60 MB.
  const worker = new Worker(url, { resourceLimits: { maxYoungGenerationSizeMb: 6 } })
  const thread = new Thread<TrainingCalls>(worker, 'the training thread')
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  const onProgress = (report: TrainingReport): void => {
    if (!signal.aborted) onReport(report)
  }
  try {
    // Transfers the histories instead of copying them. A run does not keep the process alive.
    const options = { transfer: memoryOf(start), onProgress, background: true }
    return await Promise.race([thread.call('train', start, options), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
    await thread.end()
  }
}
