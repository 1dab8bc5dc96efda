// Progress for people: one line that a terminal rewrites in place and a file gets now and then.

import type { TrainProgress } from '../models/index.ts'

/** 1,234 */
export const whole = (n: number): string => Math.round(n).toLocaleString('en')

/** 1 row, 1,234 rows */
export const count = (n: number, noun: string): string => `${whole(n)} ${noun}${n === 1 ? '' : 's'}`

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

export interface StatusLine {
  /**
   * Shown if it is time for it; `text` is not asked for otherwise. With a share from 0 to 1 a
   * terminal has a bar before it.
   */
  show(text: () => string, share?: number): void
  /** A line that stays, whenever it comes. */
  print(text: string): void
  /** Leaves the line as it is and goes to the next. */
  end(): void
}

export type StatusStream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>

const onTerminal = 100
const elsewhere = 5000

/** `clock` in milliseconds. */
export function createStatusLine(stream: StatusStream, clock: () => number): StatusLine {
  const pause = stream.isTTY ? onTerminal : elsewhere
  const clear = stream.isTTY ? '\r\u001b[K' : ''
  let shown = clock()
  let open = false
  const write = (text: string, stays: boolean): void => {
    shown = clock()
    open = stream.isTTY && !stays
    stream.write(`${clear}${text}${open ? '' : '\n'}`)
  }
  return {
    show(text, share) {
      if (clock() - shown < pause) return
      write(`${stream.isTTY && share !== undefined ? bar(share) : ''}${text()}`, false)
    },
    print: (text) => write(text, true),
    end() {
      if (open) stream.write('\n')
      open = false
    },
  }
}

const barWidth = 20

function bar(share: number): string {
  const done = Math.round(barWidth * Math.min(1, Math.max(0, share)))
  return `${'█'.repeat(done)}${'░'.repeat(barWidth - done)} `
}

/** How long the rest takes if it goes on as it did; of nothing done, nobody knows. */
export const timeLeft = (share: number, elapsedMs: number): string =>
  share > 0 ? `${clockTime((elapsedMs * (1 - share)) / share / 1000)} left` : ''

/** 3:05, or 1:03:05. */
export function clockTime(seconds: number): string {
  const rounded = Math.round(seconds)
  const [hours, minutes] = [Math.floor(rounded / 3600), Math.floor(rounded / 60) % 60]
  const twoDigits = (n: number): string => String(n).padStart(2, '0')
  const rest = twoDigits(rounded % 60)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`
}

/** 37 %, in a fixed width; whole only when all is done. */
export const percent = (share: number): string => `${String(Math.floor(100 * share)).padStart(3)} %`
