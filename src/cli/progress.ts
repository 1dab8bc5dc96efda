// Progress of training in one line.

import type { TrainProgress } from '../models/index.ts'
import { clockTime, createStatusLine, percent } from './status-line.ts'
import type { StatusStream } from './status-line.ts'

export interface ProgressLine {
  show(progress: TrainProgress): void
  /** Leaves the line as it is and goes to the next. */
  end(): void
}

/** `clock` in milliseconds; `measure` is what a validation is called, which is always shown. */
export function createProgressLine(
  stream: StatusStream,
  clock: () => number,
  measure: string,
): ProgressLine {
  const line = createStatusLine(stream, clock)
  return {
    show(progress) {
      if (progress.validation === undefined)
        line.show(() => lineOf(progress, measure), shareOf(progress))
      else line.print(lineOf(progress, measure))
    },
    end: line.end,
  }
}

const shareOf = ({ epoch, epochs, step, steps }: TrainProgress): number =>
  (epoch - 1 + step / steps) / epochs

function lineOf(progress: TrainProgress, measure: string): string {
  const { epoch, epochs, loss, eventsPerSecond, secondsLeft, validation } = progress
  const parts = [
    percent(shareOf(progress)),
    `epoch ${epoch} of ${epochs}`,
    `loss ${loss.toFixed(4)}`,
    `${Math.round(eventsPerSecond).toLocaleString('en')} events/s`,
    `${clockTime(secondsLeft)} left`,
  ]
  if (validation !== undefined) parts.push(`${measure} ${validation.toFixed(4)}`)
  return parts.join('  ')
}
