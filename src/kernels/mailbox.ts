// How a caller and a worker thread talk: through a few words of shared memory. The caller writes
// the arguments and raises `request`; the worker raises `taken`, computes and raises `done`. Both
// look for a while before they sleep, because waking a sleeping thread costs more than most kernels
// take.

/** Bytes of a worker's mailbox. */
export const MAILBOX_BYTES = 256

const [REQUEST, TAKEN, DONE, FAILED] = [0, 1, 2, 3]
const ARGUMENTS = 16 // bytes into the box; float64: kernel, count, then the arguments
const STOP = -1
const LOOKS = 100_000
const NAP_MILLISECONDS = 100
const LOOKS_A_NAP = 4_000_000 // of the order of a nap, where sleep is not allowed

export interface Mailbox {
  readonly words: Int32Array
  readonly numbers: Float64Array
}

export function openMailbox(memory: WebAssembly.Memory, address: number): Mailbox {
  const room = (MAILBOX_BYTES - ARGUMENTS) / 8
  return {
    words: new Int32Array(memory.buffer, address, 4),
    numbers: new Float64Array(memory.buffer, address + ARGUMENTS, room),
  }
}

export function post({ words, numbers }: Mailbox, kernel: number, args: readonly number[]): void {
  numbers.set([kernel, args.length, ...args])
  Atomics.add(words, REQUEST, 1)
  Atomics.notify(words, REQUEST)
}

/** Lets the worker's `serve` return. */
export function postStop(mailbox: Mailbox): void {
  post(mailbox, STOP, [])
}

/** The worker's life: wait for a request, compute, report. Returns on the message to stop. */
export function serve(
  { words, numbers }: Mailbox,
  compute: (kernel: number, args: Float64Array) => void,
): void {
  let seen = 0
  for (;;) {
    waitUntil(words, REQUEST, (value) => value !== seen)
    seen = Atomics.load(words, REQUEST)
    Atomics.store(words, TAKEN, seen)
    const [kernel, count] = [numbers[0]!, numbers[1]!]
    if (kernel === STOP) return
    try {
      compute(kernel, numbers.subarray(2, 2 + count))
    } catch {
      // A trap cannot cross threads; the caller turns this word into an error.
      Atomics.store(words, FAILED, 1)
    }
    Atomics.store(words, DONE, seen)
    Atomics.notify(words, DONE)
  }
}

/** How many naps a caller waits for a request to be taken, and then for it to be done. */
export interface Patience {
  readonly taking: number
  readonly working: number
}

// An idle worker takes a request at once, so ten seconds say that it is gone. Its share of the
// largest product that fits the memory may take many minutes, hence the hour.
export const patience: Patience = { taking: 100, working: 36_000 }

/** What became of the last request. */
export function waitForAnswer(
  { words }: Mailbox,
  { taking, working }: Patience,
): 'done' | 'failed' | 'silent' {
  const asked = Atomics.load(words, REQUEST)
  const isDone = (value: number): boolean => value === asked
  const answered =
    waitUntil(words, DONE, isDone, taking) ||
    (Atomics.load(words, TAKEN) === asked && waitUntil(words, DONE, isDone, working))
  if (!answered) return 'silent'
  return Atomics.load(words, FAILED) === 1 ? 'failed' : 'done'
}

/** Looks at a word until it satisfies, then sleeps between looks; false if it never did. */
function waitUntil(
  words: Int32Array,
  word: number,
  satisfies: (value: number) => boolean,
  naps = Number.POSITIVE_INFINITY,
): boolean {
  for (let look = 0; look < LOOKS; look++) if (satisfies(Atomics.load(words, word))) return true
  for (let nap = 0; nap < naps;) {
    const value = Atomics.load(words, word)
    if (satisfies(value)) return true
    if (sleep(words, word, value) === 'timed-out') nap += 1
  }
  return false
}

function sleep(words: Int32Array, word: number, value: number): string {
  try {
    return Atomics.wait(words, word, value, NAP_MILLISECONDS)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // A browser's main thread may not sleep: it goes on looking.
    for (let look = 0; look < LOOKS_A_NAP; look++) {
      if (Atomics.load(words, word) !== value) return 'not-equal'
    }
    return 'timed-out'
  }
}
