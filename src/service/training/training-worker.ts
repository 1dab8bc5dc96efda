// The training thread: one full training run, with progress reports and checkpoints.

import { createEngine } from '../../kernels/index.ts'
import { spawnKernelWorker } from '../../node/index.ts'
import { moved, serveCalls } from '../../node/thread.ts'
import { runTraining } from '../../recommender/full-training.ts'
import type { Baseline, TrainingProgress } from '../../recommender/full-training.ts'
import { shrinkHeap } from '../learning/shrink-heap.ts'
import { spareThreads } from './spare-cores.ts'
import type { TrainingCalls, TrainingReport, TrainingStart } from './training-thread.ts'

/** Milliseconds between two progress reports. */
const reportEvery = 250

const clock = (): number => performance.now()

serveCalls<TrainingCalls>({
  async train(start, { progress }) {
    const { threads, lastCall } = start
    const activeThreads = spareThreads(lastCall, threads)
    const engine = await createEngine({ threads, spawnWorker: spawnKernelWorker, activeThreads })
    const training = runTraining(engine, start, clock)
    const report = createReports(start, progress)
    let next = training.next()
    for (; next.done !== true; next = training.next()) report(next.value)
    engine.close()
    return moved(next.value)
  },
})

function createReports(
  { checkpointSeconds }: TrainingStart,
  progress: (report: TrainingReport) => void,
): (step: Baseline | TrainingProgress) => void {
  let reportedAt = -Infinity
  let savedAt = clock()
  return (step) => {
    if ('baseline' in step) return progress(step)
    // Frees the memory of the preparation, which the epochs do not need.
    if (reportedAt === -Infinity) shrinkHeap()
    const { checkpoint, ...figures } = step
    const isEnd = checkpoint !== undefined
    if (isEnd || clock() - reportedAt >= reportEvery) {
      reportedAt = clock()
      progress({ figures })
    }
    if (isEnd && clock() - savedAt >= 1000 * checkpointSeconds) {
      savedAt = clock()
      progress(moved({ epoch: figures.epoch, checkpoint: checkpoint() }))
    }
  }
}
