// Reads on in the log, one reading at a time, and knows why that fails where it does.

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

interface LogReading {
  /** Why the log cannot be followed, where it cannot. */
  readonly failure: Error | null
  /** Looks for what others have written, and applies it. Never an error. */
  catchUp(): Promise<void>
  /** The same where there is anything: all that is durable at the time of the call. */
  poll(): Promise<void>
  /** See `Tailer.holdErasures`. */
  holdErasures(): () => void
  /** Lets what is being read arrive; nothing does after that. */
  end(): Promise<void>
}

export function createLogReading(options: LogReadingOptions): LogReading {
  const { store, logMessage, position } = options
  let failure: Error | null = null
  let reading: Promise<void> | null = null
  let ended = false
  let holds = 0

  async function readOn(): Promise<void> {
    let damaged = 0
    const onDamaged = (at: Position, reason: string) => {
      damaged = at
      logMessage({ level: 'error', message: `event ${at} of the log is left out: ${reason}` })
    }
    try {
      const how = options.skipDamaged ? { onDamaged } : {}
      for await (const events of store.read(position(), how)) {
        const held = holds > 0 ? events.findIndex(isNewErasure) : -1
        if (!ended) options.advance(held < 0 ? events : events.slice(0, held))
        if (ended || held >= 0) return
      }
      failure = null
      options.passed(Math.max(position(), damaged))
    } catch (error) {
      fail(error)
    }
  }

  const isNewErasure = ({ event, position: at }: StoredEvent): boolean =>
    event.kind === 'user-erased' && at > position()

  /** Each reason is logged once. */
  function fail(error: unknown): void {
    const before = failure?.message
    failure = error instanceof Error ? error : new Error(String(error))
    if (before === failure.message) return
    const message = `the log cannot be read after event ${position()}: ${failure.message}`
    logMessage({ level: 'error', message, ...(error instanceof RenError && { code: error.code }) })
  }

  function catchUp(): Promise<void> {
    reading ??= readOn().finally(() => {
      reading = null
    })
    return reading
  }

  return {
    get failure() {
      return failure
    },
    catchUp,
    async poll() {
      try {
        const head = await store.head()
        if (head <= position() || ended) {
          failure = null
          return
        }
        await catchUp()
        // A reading that was under way may have begun before the last write.
        if (head > position() && failure === null && !ended) await catchUp()
      } catch (error) {
        if (!ended) fail(error)
      }
    },
    holdErasures() {
      holds += 1
      return () => {
        holds -= 1
      }
    },
    async end() {
      await reading
      ended = true
    },
  }
}
