// Keeps a service at the head of the log: applies its own commits in the order of their positions,
// and reads what others have written in between.

import { RenError } from '../../core/errors.ts'
import type { EventStore, Position, StoredEvent } from '../../storage/index.ts'
import { createLogReading } from './read-missed-events.ts'
import type { LogMessage } from '../settings.ts'

interface TailerOptions {
  readonly store: EventStore
  /** Up to here all is applied. */
  readonly position: Position
  /** Applies events without gaps, each once. It logs a failure and continues after that event. */
  readonly apply: (events: readonly StoredEvent[]) => void
  readonly skipDamaged: boolean
  readonly logMessage: (logMessage: LogMessage) => void
}

export interface Tailer {
  readonly position: Position
  /** Why the log cannot be followed, where it cannot. */
  readonly failure: Error | null
  /** Looks for the writes of others from here on, now and then. */
  start(): void
  /** These are durable. */
  committed(events: readonly StoredEvent[]): void
  /** Resolves when everything up to a position is applied; after the timeout it is an error. */
  reached(position: Position, timeoutMs?: number): Promise<void>
  /**
   * The same for what is durable, which is never an error: where the log cannot be followed, or not
   * soon, it resolves all the same.
   */
  applied(position: Position): Promise<void>
  /** Looks for what others have written, and applies it. */
  catchUp(): Promise<void>
  /** Applies what others have written up to now. Never an error. */
  applyLatest(): Promise<void>
  /**
   * Until the returned function is called, no `user-erased` is read from the log: it may be an own
   * one, which does not say whose it is until its write has come back.
   */
  holdErasures(): () => void
  close(): Promise<void>
}

/** How long the writes of others may go unnoticed where nothing else happens, in milliseconds. */
const pollMs = 500
/** How long a state that is to be as new as a position is waited for; longer where it must be. */
const usualWaitMs = 1000
const longestWaitMs = 5000

export function createTailer(options: TailerOptions): Tailer {
  const { store, skipDamaged, apply, logMessage } = options
  let { position } = options
  let timer: NodeJS.Timeout | undefined
  const own = createOwnCommits()
  const waiters = createWaiters()
  const reading = createLogReading({
    store,
    skipDamaged,
    logMessage,
    position: () => position,
    advance,
    passed(at) {
      position = at
      advance(own.takeAfter(position))
      waiters.reached(position)
    },
  })

  function advance(events: readonly StoredEvent[]): void {
    const next = events.filter((event) => event.position > position)
    const last = next.at(-1)
    if (last === undefined) return
    position = last.position
    try {
      apply(next)
    } catch (error) {
      const message = `events up to ${position} were not all taken in: ${String(error)}`
      logMessage({ level: 'error', message })
    }
    waiters.reached(position)
  }

  /** While the log cannot be read they need not be kept: it has them when it can. */
  function committed(events: readonly StoredEvent[]): void {
    if (events[0]?.position === position + 1 && own.size === 0) return advance(events)
    own.add(events)
    advance(own.takeAfter(position))
    if (own.size === 0) return
    if (reading.failure === null) void reading.catchUp()
    else own.clear()
  }

  async function reached(wanted: Position, timeoutMs = longestWaitMs): Promise<void> {
    if (wanted <= position) return
    void reading.poll()
    await waiters.wait(wanted, timeoutMs)
  }

  return {
    get position() {
      return position
    },
    get failure() {
      return reading.failure
    },
    start() {
      timer = setInterval(() => void reading.poll(), pollMs).unref()
    },
    committed,
    reached,
    async applied(wanted) {
      if (reading.failure === null) await reached(wanted, usualWaitMs).catch(() => {})
    },
    catchUp: reading.catchUp,
    applyLatest: reading.poll,
    holdErasures: reading.holdErasures,
    async close() {
      clearInterval(timer)
      await reading.end()
      waiters.end()
    },
  }
}

// Commits of this process that wait until the events before them in the log are applied.

interface OwnCommits {
  readonly size: number
  add(events: readonly StoredEvent[]): void
  /** Those that follow a position without a gap; they wait no more, nor do those before it. */
  takeAfter(position: Position): readonly StoredEvent[]
  clear(): void
}

function createOwnCommits(): OwnCommits {
  const waiting = new Map<Position, StoredEvent>()
  return {
    get size() {
      return waiting.size
    },
    add(events) {
      for (const event of events) waiting.set(event.position, event)
    },
    takeAfter(position) {
      const next: StoredEvent[] = []
      for (const at of waiting.keys()) if (at <= position) waiting.delete(at)
      for (let at = position + 1; waiting.has(at); at++) {
        next.push(waiting.get(at)!)
        waiting.delete(at)
      }
      return next
    },
    clear: () => waiting.clear(),
  }
}

// Requests that wait until the state has reached a position.

interface Waiters {
  /** Resolves when the position is reached; after the timeout, and at the end, it is an error. */
  wait(position: Position, timeoutMs: number): Promise<void>
  reached(position: Position): void
  end(): void
}

interface Waiter {
  readonly position: Position
  /** Without an error: the position is reached. */
  settle(error?: RenError): void
}

function createWaiters(): Waiters {
  const waiters = new Set<Waiter>()
  let ended = false
  return {
    wait: (position, timeoutMs) =>
      new Promise((resolve, reject) => {
        const waiter: Waiter = {
          position,
          settle(error) {
            waiters.delete(waiter)
            clearTimeout(deadline)
            if (error) reject(error)
            else resolve()
          },
        }
        const message = `event ${position} was not received within ${timeoutMs} ms`
        const late = (): void => waiter.settle(new RenError('not-caught-up', message))
        const deadline = setTimeout(late, timeoutMs)
        if (ended) waiter.settle(closed())
        else waiters.add(waiter)
      }),
    reached(position) {
      for (const waiter of waiters) if (waiter.position <= position) waiter.settle()
    },
    end() {
      ended = true
      for (const waiter of waiters) waiter.settle(closed())
    },
  }
}

const closed = (): RenError =>
  new RenError('service-closed', 'the service was closed before what was waited for came')
