// Keeps a service at the head of the log: applies its own commits in the order of their positions,
// and reads what others have written in between.

import { RenError } from '../../core/errors.ts'
import type { EventStore, Position, StoredEvent } from '../../storage/index.ts'
import type { LogMessage } from '../settings.ts'

/** Applies events. A failure is logged, and the log continues after these events. */
export interface Follower {
  follow(events: readonly StoredEvent[]): void
}

interface TailerOptions {
  readonly store: EventStore
  /** Up to here all is applied. */
  readonly position: Position
  /** Receive events without gaps, each once, one follower after the other. */
  readonly followers: readonly Follower[]
  readonly skipDamaged: boolean
  readonly logMessage: (logMessage: LogMessage) => void
}

/** How long the writes of others may go unnoticed where nothing else happens, in milliseconds. */
const pollMs = 500
/** How long a state that is to be as new as a position is waited for; longer where it must be. */
const usualWaitMs = 1000
const longestWaitMs = 5000

export class Tailer {
  readonly #options: TailerOptions
  readonly #own = new OwnCommits()
  readonly #waiters = new Waiters()
  readonly #reading: LogReading
  #position: Position
  #timer: NodeJS.Timeout | undefined

  constructor(options: TailerOptions) {
    this.#options = options
    this.#position = options.position
    this.#reading = new LogReading({
      ...options,
      position: () => this.#position,
      advance: (events) => this.#advance(events),
      passed: (at) => {
        this.#position = at
        this.#advance(this.#own.takeAfter(at))
        this.#waiters.reached(this.#position)
      },
    })
  }

  get position(): Position {
    return this.#position
  }

  /** Why the log cannot be followed, where it cannot. */
  get failure(): Error | null {
    return this.#reading.failure
  }

  /** Looks for the writes of others from here on, now and then. */
  start(): void {
    this.#timer = setInterval(() => void this.#reading.poll(), pollMs).unref()
  }

  /** Applies events that this process has written, when those before them are applied. */
  committed(events: readonly StoredEvent[]): void {
    const own = this.#own
    if (events[0]?.position === this.#position + 1 && own.size === 0) return this.#advance(events)
    own.add(events)
    this.#advance(own.takeAfter(this.#position))
    if (own.size === 0) return
    if (this.#reading.failure === null) void this.#reading.catchUp()
    // While the log cannot be read they need no memory: it has them when it can.
    else own.clear()
  }

  /** Resolves when everything up to a position is applied; after the timeout it is an error. */
  async reached(wanted: Position, timeoutMs = longestWaitMs): Promise<void> {
    if (wanted <= this.#position) return
    void this.#reading.poll()
    await this.#waiters.wait(wanted, timeoutMs)
  }

  /**
   * The same for durable events, and never an error: where the log cannot be followed, or not soon,
   * it resolves all the same.
   */
  async applied(wanted: Position): Promise<void> {
    if (this.failure === null) await this.reached(wanted, usualWaitMs).catch(() => {})
  }

  /** Looks for what others have written, and applies it. */
  catchUp(): Promise<void> {
    return this.#reading.catchUp()
  }

  /** Applies what others have written up to now. Never an error. */
  applyLatest(): Promise<void> {
    return this.#reading.poll()
  }

  /**
   * Until the returned function is called, no `user-erased` is read from the log: it may be an own
   * one, which does not say whose it is until its write has come back.
   */
  holdErasures(): () => void {
    return this.#reading.holdErasures()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#reading.end()
    this.#waiters.end()
  }

  #advance(events: readonly StoredEvent[]): void {
    const next = events.filter((event) => event.position > this.#position)
    const last = next.at(-1)
    if (last === undefined) return
    this.#position = last.position
    try {
      for (const follower of this.#options.followers) follower.follow(next)
    } catch (error) {
      const message = `not all events up to ${last.position} were applied: ${String(error)}`
      this.#options.logMessage({ level: 'error', message })
    }
    this.#waiters.reached(this.#position)
  }
}

/** Commits of this process that wait until the events before them in the log are applied. */
class OwnCommits {
  readonly #waiting = new Map<Position, StoredEvent>()

  get size(): number {
    return this.#waiting.size
  }

  add(events: readonly StoredEvent[]): void {
    for (const event of events) this.#waiting.set(event.position, event)
  }

  /** Those that follow a position without a gap; they wait no more, nor do those before it. */
  takeAfter(position: Position): readonly StoredEvent[] {
    const waiting = this.#waiting
    const next: StoredEvent[] = []
    for (const at of waiting.keys()) if (at <= position) waiting.delete(at)
    for (let at = position + 1; waiting.has(at); at++) {
      next.push(waiting.get(at)!)
      waiting.delete(at)
    }
    return next
  }

  clear(): void {
    this.#waiting.clear()
  }
}

interface Waiter {
  readonly position: Position
  /** Without an error: the position is reached. */
  settle(error?: RenError): void
}

/** Requests that wait until the state has reached a position. */
class Waiters {
  readonly #waiters = new Set<Waiter>()
  #ended = false

  /** Resolves when the position is reached; after the timeout, and at the end, it is an error. */
  wait(position: Position, timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = {
      position,
      settle: (error) => {
        this.#waiters.delete(waiter)
        clearTimeout(deadline)
        if (error) reject(error)
        else resolve()
      },
    }
    const message = `event ${position} was not received within ${timeoutMs} ms`
    const late = (): void => waiter.settle(new RenError('not-caught-up', message))
    const deadline = setTimeout(late, timeoutMs)
    if (this.#ended) waiter.settle(closed())
    else this.#waiters.add(waiter)
    return promise
  }

  reached(position: Position): void {
    for (const waiter of this.#waiters) if (waiter.position <= position) waiter.settle()
  }

  end(): void {
    this.#ended = true
    for (const waiter of this.#waiters) waiter.settle(closed())
  }
}

const closed = (): RenError =>
  new RenError('service-closed', 'the service was closed before what was waited for came')

// Reads new events from the log, one reading at a time, and remembers why that fails.

interface LogReadingOptions {
  readonly store: EventStore
  readonly skipDamaged: boolean
  readonly logMessage: (logMessage: LogMessage) => void
  /** Up to here all is applied. */
  readonly position: () => Position
  readonly advance: (events: readonly StoredEvent[]) => void
  /** All up to here is read, where what is damaged is left out. */
  readonly passed: (position: Position) => void
}

class LogReading {
  readonly #options: LogReadingOptions
  /** Why the log cannot be followed, where it cannot. */
  failure: Error | null = null
  #reading: Promise<void> | null = null
  #ended = false
  #holds = 0

  constructor(options: LogReadingOptions) {
    this.#options = options
  }

  /** Looks for what others have written, and applies it. Never an error. */
  catchUp(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /** The same where there is anything: all that is durable at the time of the call. */
  async poll(): Promise<void> {
    const { store, position } = this.#options
    try {
      const head = await store.head()
      if (head <= position() || this.#ended) {
        this.failure = null
        return
      }
      await this.catchUp()
      // A reading that was under way may have begun before the last write.
      if (head > position() && this.failure === null && !this.#ended) await this.catchUp()
    } catch (error) {
      if (!this.#ended) this.#fail(error)
    }
  }

  /** See `Tailer.holdErasures`. */
  holdErasures(): () => void {
    this.#holds += 1
    return () => {
      this.#holds -= 1
    }
  }

  /** Lets what is being read arrive; nothing does after that. */
  async end(): Promise<void> {
    await this.#reading
    this.#ended = true
  }

  async #readOn(): Promise<void> {
    const { store, skipDamaged, position, advance, passed, logMessage } = this.#options
    let damaged = 0
    const onDamaged = (at: Position, reason: string) => {
      damaged = at
      logMessage({ level: 'error', message: `event ${at} of the log is left out: ${reason}` })
    }
    const isNewErasure = ({ event, position: at }: StoredEvent): boolean =>
      event.kind === 'user-erased' && at > position()
    try {
      for await (const events of store.read(position(), skipDamaged ? { onDamaged } : {})) {
        const held = this.#holds > 0 ? events.findIndex(isNewErasure) : -1
        if (!this.#ended) advance(held < 0 ? events : events.slice(0, held))
        if (this.#ended || held >= 0) return
      }
      this.failure = null
      passed(Math.max(position(), damaged))
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Each reason is logged once. */
  #fail(error: unknown): void {
    const { position, logMessage } = this.#options
    const before = this.failure?.message
    this.failure = error instanceof Error ? error : new Error(String(error))
    const { message: reason } = this.failure
    if (before === reason) return
    const message = `the log cannot be read after event ${position()}: ${reason}`
    logMessage({ level: 'error', message, ...(error instanceof RenError && { code: error.code }) })
  }
}
