// One line that says how far something is: rewritten in place on a terminal, repeated now and then
// where the output is kept.

export interface StatusLine {
  /** Shown if it is time for it; `text` is not asked for otherwise. */
  show(text: () => string): void
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
    show(text) {
      if (clock() - shown >= pause) write(text(), false)
    },
    print: (text) => write(text, true),
    end() {
      if (open) stream.write('\n')
      open = false
    },
  }
}

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
