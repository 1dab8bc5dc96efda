// Keeps a service at the head of the log. Receives the commits of this process in order of position,
// and reads events that other processes have written in between. Received events are applied after
// the responses that waited for them have been sent, or before the next call that reads the state.

import { RenError } from '../../core/errors.ts'
import type { EventStore, Position, StoredEvent } from '../../storage/index.ts'
import { errorMessage, type LogHandler } from '../settings.ts'
import { noteCall, type LastCall } from '../training/spare-cores.ts'

/** Applies events. If it throws, the error is logged, and the tailer continues with later events. */
export interface Consumer {
  consume(events: readonly StoredEvent[]): void
}

interface TailerOptions {
  readonly store: EventStore
  /**
   * Called with events that were read from the log, before they are received: loads what they refer to.
   * Whatever is up to `certain` was read before the events were written.
   */
  readonly prepare?: (events: readonly StoredEvent[], certain: Position) => Promise<void>
  /** Called once if the log does not continue what was read of it. The tailer then stops. */
  readonly onRewound?: (error: RenError) => void
  /** The position of the last applied event. */
  readonly position: Position
  /** Each consumer receives every event once, in order and without gaps. */
  readonly consumers: readonly Consumer[]
  readonly skipDamaged: boolean
  readonly logMessage: LogHandler
  /** Aborts when the service closes. */
  readonly ended: AbortSignal
  readonly lastCall: LastCall
}

/** Milliseconds between two polls for events of other processes. */
const pollMs = 250
/** A service that is behind the log by the first number of milliseconds is not ready, until by the second. */
const maxLagMs = 5000
const maxLagWhenReady = 1000
/** Milliseconds that `applied` and `reached` wait. */
const appliedWaitMs = 1000
const reachedWaitMs = 5000

export class Tailer {
  readonly #options: TailerOptions
  /** Commits of this process that wait until all earlier events of the log are received. */
  readonly #own = new Map<Position, StoredEvent>()
  readonly #waiters = new Waiters()
  /** The position of the last event that was received in order. */
  #position: Position
  /** Received events that are not applied yet, in order. */
  #received: StoredEvent[] = []
  #applying: NodeJS.Immediate | undefined
  #failure: Error | null = null
  /** Whether a caller has given up waiting since the last complete pass. */
  #isBehind = false
  /** The current pass over new events; there is at most one. */
  #reading: Promise<void> | null = null
  #holds = 0
  #closed = false
  /** Whether the log does not continue what was read of it. */
  #isRewound = false
  /** When everything was applied that was in the log. */
  #atHead = performance.now()
  /** The position at the start of the last complete pass. */
  #certain: Position
  #isLate = false
  #unwatch = (): void => {}
  #timer: NodeJS.Timeout | undefined

  constructor(options: TailerOptions) {
    this.#options = options
    this.#position = options.position
    this.#certain = options.position
  }

  /** The position of the last applied event. */
  get position(): Position {
    return (this.#received[0]?.position ?? this.#position + 1) - 1
  }

  /** Why the log cannot be read; null if it can. */
  get failure(): Error | null {
    return this.#failure
  }

  /** Milliseconds since everything was applied that was in the log. */
  get lag(): number {
    return performance.now() - this.#atHead
  }

  /** Whether a service of a shared store is too far behind the log: other services serve instead. */
  get isLate(): boolean {
    const limit = this.#isLate ? maxLagWhenReady : maxLagMs
    this.#isLate = this.#options.store.shared !== null && this.lag > limit
    return this.#isLate
  }

  get isRewound(): boolean {
    return this.#isRewound
  }

  /** What callers should know about a log that is read more slowly than others write it. */
  get problems(): readonly string[] {
    if (!this.#isBehind) return []
    return [`the state is behind the log, of which event ${this.position} is applied`]
  }

  /** Starts to poll for events of other processes. */
  start(): void {
    const poll = (): void => void this.applyLatest()
    this.#timer = setInterval(poll, pollMs).unref()
    this.#unwatch = this.#options.store.shared?.watch(poll) ?? this.#unwatch
  }

  /**
   * Receives events that this process has written, once all earlier events are received, and applies
   * them at the next turn of the event loop.
   */
  committed(events: readonly StoredEvent[]): void {
    const own = this.#own
    const isNext = events[0]?.position === this.#position + 1 && own.size === 0
    if (!isNext) for (const event of events) own.set(event.position, event)
    this.#receive(isNext ? events : this.#nextOwn())
    this.#applying ??= setImmediate(() => this.applyReceived())
    if (own.size === 0) return
    if (this.#failure === null) void this.catchUp()
    // Frees their memory: the log returns them once it can be read again.
    else own.clear()
  }

  /** Notes a call, for which training leaves a core. Refuses calls after the service has closed. */
  beginCall(): void {
    this.#options.ended.throwIfAborted()
    noteCall(this.#options.lastCall)
  }

  /** Like `beginCall`; also applies all received events. */
  beginRead(): void {
    this.beginCall()
    this.applyReceived()
  }

  /** Applies all received events. Call it, or `beginRead`, before reading the state. */
  applyReceived(): void {
    clearImmediate(this.#applying)
    this.#applying = undefined
    const events = this.#received
    if (events.length === 0) return
    this.#received = []
    try {
      for (const consumer of this.#options.consumers) consumer.consume(events)
    } catch (error) {
      const what = `not all events up to ${this.#position} were applied`
      this.#options.logMessage(errorMessage('error', what, error))
    }
    this.#waiters.reached(this.#position)
  }

  /**
   * Resolves when everything up to a position is received, so that the next call that reads the state
   * knows it. Never rejects: it also resolves if the log cannot be read in time.
   */
  async received(wanted: Position): Promise<void> {
    if (wanted > this.#position) await this.applied(wanted)
  }

  /** Resolves when everything up to a position is applied; rejects after the timeout. */
  async reached(wanted: Position, timeoutMs = reachedWaitMs): Promise<void> {
    this.applyReceived()
    if (wanted <= this.#position) return
    void this.applyLatest()
    await this.#waiters.wait(wanted, timeoutMs)
  }

  /** Like `reached`, but never rejects: it also resolves if the log cannot be read in time. */
  async applied(wanted: Position): Promise<void> {
    if (this.#failure !== null) return
    await this.reached(wanted, appliedWaitMs).catch(() => {
      this.#isBehind = !this.#closed
    })
  }

  /**
   * Runs a call. If it names an unknown item, runs it again at the head of the log: another service may just have
   * added the item.
   */
  async withNewItems<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      const isUnknown = error instanceof RenError && error.code === 'unknown-item'
      if (!isUnknown || this.#options.store.shared === null) throw error
      await this.applyLatest()
      return call()
    }
  }

  /** Reads and applies new events. Never rejects. */
  catchUp(): Promise<void> {
    this.#reading ??= this.#readNew().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /** Applies all events that are durable at the time of the call. Never rejects. */
  async applyLatest(): Promise<void> {
    if (this.#isRewound) return
    try {
      const began = performance.now()
      const head = await this.#options.store.head()
      this.applyReceived()
      // Reading a shared log also reports whether it was rewound.
      const mayBeNew = head > this.#position || this.#options.store.shared !== null
      if (!mayBeNew || this.#closed) {
        this.#failure = null
        this.#atHead = began
        return
      }
      await this.catchUp()
      // A pass that was already running may have begun before the last write.
      if (head > this.#position && this.#failure === null && !this.#closed) await this.catchUp()
      if (head <= this.#position) this.#atHead = began
    } catch (error) {
      if (!this.#closed) this.#fail(error)
    }
  }

  /**
   * Stops reading at the next `user-erased` event until the returned function is called. The event may
   * be one of this process, and it does not name the user: only the result of the write does.
   */
  holdErasures(): () => void {
    this.#holds += 1
    return () => {
      this.#holds -= 1
    }
  }

  /** Waits for the current pass and applies what was received. Applies nothing afterwards. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#unwatch()
    await this.#reading
    this.applyReceived()
    this.#closed = true
    this.#waiters.end()
  }

  #receive(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.position <= this.#position) continue
      this.#position = event.position
      this.#received.push(event)
    }
  }

  /** Removes and returns the own commits that come next without a gap, and drops earlier ones. */
  #nextOwn(): readonly StoredEvent[] {
    const own = this.#own
    const next: StoredEvent[] = []
    for (const at of own.keys()) if (at <= this.#position) own.delete(at)
    for (let at = this.#position + 1; own.has(at); at++) {
      next.push(own.get(at)!)
      own.delete(at)
    }
    return next
  }

  async #readNew(): Promise<void> {
    const { store, skipDamaged, logMessage, prepare } = this.#options
    let damaged = 0
    const from = this.#position
    const onDamaged = (at: Position, reason: string): void => {
      damaged = at
      logMessage({ level: 'error', message: `event ${at} of the log is skipped: ${reason}` })
    }
    const isNewErasure = ({ event, position }: StoredEvent): boolean =>
      event.kind === 'user-erased' && position > this.#position
    try {
      for await (const events of store.read(this.#position, skipDamaged ? { onDamaged } : {})) {
        const held = this.#holds > 0 ? events.findIndex(isNewErasure) : -1
        const next = held < 0 ? events : events.slice(0, held)
        await prepare?.(next, this.#certain)
        if (this.#closed) return
        this.#receive(next)
        this.applyReceived()
        if (held >= 0) return
      }
      this.#failure = null
      this.#certain = from
      // Everything up to here is received or skipped as damaged.
      this.#position = Math.max(this.#position, damaged)
      this.#receive(this.#nextOwn())
      this.applyReceived()
      this.#isBehind = false
      this.#waiters.reached(this.#position)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Logs each reason once. */
  #fail(error: unknown): void {
    const before = this.#failure?.message
    this.#failure = error instanceof Error ? error : new Error(String(error))
    if (error instanceof RenError && error.code === 'log-rewound' && !this.#isRewound) {
      this.#isRewound = true
      this.#options.onRewound?.(error)
    }
    if (before === this.#failure.message) return
    const what = `the log cannot be read after event ${this.#position}`
    this.#options.logMessage(errorMessage('error', what, error))
  }
}

interface Waiter {
  readonly position: Position
  /** Resolves, or rejects with the error. */
  settle(error?: RenError): void
}

/** Requests that wait until the state has reached a position. */
class Waiters {
  readonly #waiters = new Set<Waiter>()
  #ended = false

  /** Resolves when the position is reached; rejects after the timeout, or when the service closes. */
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
    const message = `event ${position} was not applied within ${timeoutMs} ms`
    const expire = (): void => waiter.settle(new RenError('not-caught-up', message))
    const deadline = setTimeout(expire, timeoutMs)
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
  new RenError('service-closed', 'the service was closed before it reached the position')
