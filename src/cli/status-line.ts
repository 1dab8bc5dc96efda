// One line that says how far something is: rewritten in place on a terminal, repeated now and then
// where the output is kept.

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
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const twoDigits = (n: number): string => String(n).padStart(2, '0')
  const rest = twoDigits(whole % 60)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`
}

/** 37 %, in a fixed width; whole only when all is done. */
export const percent = (share: number): string => `${String(Math.floor(100 * share)).padStart(3)} %`
