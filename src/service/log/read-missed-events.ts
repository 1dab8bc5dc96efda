// Reads new events from the log, one reading at a time, and remembers why that fails.

import { RenError } from '../../core/errors.ts'
import type { EventStore, Position, StoredEvent } from '../../storage/index.ts'
import type { LogMessage } from '../settings.ts'

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

export class LogReading {
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
