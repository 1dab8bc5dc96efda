// Progress of training in one line: rewritten in place on a terminal, repeated now and then where
// the output is kept.

import type { TrainProgress } from '../models/index.ts'

export interface ProgressLine {
  show(progress: TrainProgress): void
  /** Leaves the line as it is and goes to the next. */
  end(): void
}

const onTerminal = 100
const elsewhere = 5000

/** `clock` in milliseconds; `measure` is what a validation is called. */
export function createProgressLine(
  stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>,
  clock: () => number,
  measure: string,
): ProgressLine {
  const pause = stream.isTTY ? onTerminal : elsewhere
  let shown = clock()
  let open = false
  return {
    show(progress) {
      if (clock() - shown < pause && progress.validation === undefined) return
      shown = clock()
      open = stream.isTTY && progress.validation === undefined
      stream.write(
        `${stream.isTTY ? '\r\u001b[K' : ''}${lineOf(progress, measure)}${open ? '' : '\n'}`,
      )
    },
    end() {
      if (open) stream.write('\n')
      open = false
    },
  }
}

function lineOf(progress: TrainProgress, measure: string): string {
  const { epoch, epochs, step, steps, loss, eventsPerSecond, secondsLeft, validation } = progress
  const percent = Math.floor((100 * (epoch - 1 + step / steps)) / epochs)
  const parts = [
    `${String(percent).padStart(3)} %`,
    `epoch ${epoch} of ${epochs}`,
    `loss ${loss.toFixed(4)}`,
    `${Math.round(eventsPerSecond).toLocaleString('en')} events/s`,
    `${clockTime(secondsLeft)} left`,
  ]
  if (validation !== undefined) parts.push(`${measure} ${validation.toFixed(4)}`)
  return parts.join('  ')
}

/** 3:05, or 1:03:05. */
function clockTime(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const twoDigits = (n: number): string => String(n).padStart(2, '0')
  const rest = twoDigits(whole % 60)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`
}
