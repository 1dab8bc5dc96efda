// Drives training so that Ctrl-C takes effect between two steps and the learned weights are not lost.

import { setImmediate } from 'node:timers/promises'

import type { TrainProgress, TrainReport } from '../models/index.ts'

export interface Outcome extends Omit<TrainReport, 'events'> {
  readonly interrupted: boolean
}

// Milliseconds between two turns of the event loop, in which signals arrive.
const turnEvery = 50

/**
 * Runs training to its end or to the first Ctrl-C; a second one kills the process as usual. The
 * model then has the weights of the best validation, or the current ones where there was none.
 */
export async function runInterruptibly(
  training: Generator<TrainProgress, TrainReport>,
  show: (progress: TrainProgress) => void,
): Promise<Outcome> {
  let interrupted = false
  const interrupt = () => (interrupted = true)
  process.once('SIGINT', interrupt)
  try {
    let best: number | undefined
    let turned = performance.now()
    for (let steps = 1; ; steps++) {
      const { done, value } = training.next()
      if (done) return finished(value)
      show(value)
      if (value.validation !== undefined) best = Math.max(best ?? 0, value.validation)
      if (performance.now() - turned > turnEvery) {
        await setImmediate()
        turned = performance.now()
      }
      if (interrupted) return stop(training, value, steps, best)
    }
  } finally {
    process.off('SIGINT', interrupt)
  }
}

function finished(report: TrainReport): Outcome {
  const { events: _, ...rest } = report
  return { ...rest, interrupted: false }
}

function stop(
  training: Generator<TrainProgress, TrainReport>,
  { loss, epoch, eventsPerSecond }: TrainProgress,
  steps: number,
  best: number | undefined,
): Outcome {
  const report = { loss, epochs: epoch, steps, eventsPerSecond }
  // Closed, training leaves the weights that were validated best, or the last ones.
  training.return({ ...report, events: 0 })
  return { ...report, ...(best !== undefined && { validation: best }), interrupted: true }
}
