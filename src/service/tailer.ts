// Keeps a service at the head of the log: applies its own commits in the order of their positions,
// and reads what others have written in between.

import type { EventStore, Position, StoredEvent } from '../storage/index.ts'
import { createLogReading } from './log-reading.ts'
import { createOwnCommits } from './own-commits.ts'
import type { LogMessage } from './settings.ts'
import { createWaiters } from './waiters.ts'

export interface TailerOptions {
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
