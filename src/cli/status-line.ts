// Progress on standard error: one line that a terminal rewrites in place. Other streams get a new line
// every few seconds.

import type { TrainProgress } from '../models/index.ts'

/** Such as 1,234. */
export const rounded = (n: number): string => Math.round(n).toLocaleString('en')

/** Such as 1 row or 1,234 rows. */
export const count = (n: number, noun: string): string =>
  `${rounded(n)} ${noun}${n === 1 ? '' : 's'}`

/** Shows the progress of training. `measure` names the validation metric. */
export function createProgressLine(measure: string, line = createStatusLine()) {
  return {
    show(progress: TrainProgress): void {
      const text = (): string => lineOf(progress, measure)
      if (progress.validation === undefined) line.show(text, shareOf(progress))
      else line.print(text())
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
    `${rounded(eventsPerSecond)} events/s`,
    `${clockTime(secondsLeft)} left`,
  ]
  if (validation !== undefined) parts.push(`${measure} ${validation.toFixed(4)}`)
  return parts.join('  ')
}

type StatusStream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>

/** Milliseconds between two updates. */
const pauses = { terminal: 100, other: 5000 } as const

const now = (): number => performance.now()

/** `clock` is in milliseconds. */
export function createStatusLine(stream: StatusStream = process.stderr, clock = now) {
  const pause = stream.isTTY ? pauses.terminal : pauses.other
  const clear = stream.isTTY ? '\r\u001b[K' : ''
  let shown = clock()
  let open = false
  const write = (text: string, stays: boolean): void => {
    shown = clock()
    open = stream.isTTY && !stays
    stream.write(`${clear}${text}${open ? '' : '\n'}`)
  }
  return {
    /** Ignored soon after the last update. A terminal shows a bar for a `share` from 0 to 1. */
    show(text: () => string, share?: number): void {
      if (clock() - shown < pause) return
      write(`${stream.isTTY && share !== undefined ? bar(share) : ''}${text()}`, false)
    },
    /** Prints a line that remains. */
    print: (text: string): void => write(text, true),
    /** Moves to the next line. */
    end(): void {
      if (open) stream.write('\n')
      open = false
    },
  }
}

/** Runs `body` with a line that shows the share done, a text, and the time left. */
export function showStatus<T>(
  body: (show: (share: number, text: () => string) => void) => Promise<T>,
): Promise<T> {
  const [line, start] = [createStatusLine(), now()]
  return body((share, text) =>
    line.show(() => [percent(share), text(), timeLeft(share, now() - start)].join('  '), share),
  ).finally(line.end)
}

const barWidth = 20

function bar(share: number): string {
  const done = Math.round(barWidth * Math.min(1, Math.max(0, share)))
  return `${'█'.repeat(done)}${'░'.repeat(barWidth - done)} `
}

/** The time left at the same speed; empty if nothing is done yet. */
export const timeLeft = (share: number, elapsedMs: number): string =>
  share > 0 ? `${clockTime((elapsedMs * (1 - share)) / share / 1000)} left` : ''

/** Such as 3:05 or 1:03:05. */
export function clockTime(seconds: number): string {
  const total = Math.round(seconds)
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60]
  const twoDigits = (n: number): string => String(n).padStart(2, '0')
  const rest = twoDigits(total % 60)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`
}

/** Such as ` 37%`, in a fixed width; 100% only when all is done. */
export const percent = (share: number): string => `${String(Math.floor(100 * share)).padStart(3)}%`
