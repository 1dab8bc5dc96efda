// The training thread: one full training run, with progress and checkpoints on its way. It ends
// when the run has, or when the main thread terminates it.

import { parentPort, workerData } from 'node:worker_threads'

import { RenError } from '../../core/errors.ts'
import { createEngine } from '../../kernels/index.ts'
import { runTraining } from '../../recommender/full-training.ts'
import type { Baseline, TrainingProgress } from '../../recommender/full-training.ts'
import { memoryOf } from '../learning/calls.ts'
import { shrinkHeap } from '../learning/shrink-heap.ts'
import type { TrainingMessage, TrainingStart } from './training-thread.ts'

/** Milliseconds between two reports of progress. */
const reportEvery = 250

const port = parentPort!
const start = workerData as TrainingStart
const clock = (): number => performance.now()

const post = (message: TrainingMessage): void => port.postMessage(message, memoryOf(message))

let reportedAt = -Infinity
let savedAt = clock()

function report(step: Baseline | TrainingProgress): void {
  if ('baseline' in step) return post({ kind: 'baseline', ...step })
  // What came before the first step is not needed during the epochs.
  if (reportedAt === -Infinity) shrinkHeap()
  const { checkpoint, ...figures } = step
  const isEnd = checkpoint !== undefined
  if (isEnd || clock() - reportedAt >= reportEvery) {
    reportedAt = clock()
    post({ kind: 'progress', figures })
  }
  if (isEnd && clock() - savedAt >= 1000 * start.checkpointSeconds) {
    savedAt = clock()
    post({ kind: 'checkpoint', epoch: figures.epoch, bytes: checkpoint() })
  }
}

try {
  const training = runTraining(await createEngine(), start, clock)
  let next = training.next()
  for (; next.done !== true; next = training.next()) report(next.value)
  post({ kind: 'result', result: next.value })
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  post({ kind: 'failure', message, ...(error instanceof RenError && { code: error.code }) })
}
