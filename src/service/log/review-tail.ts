// Reads the last events before a restored state again, in the background after the start. The metrics
// continue from them, and damage is found while the saved state still covers it.

import type { EventStore, Position, StoredEvent } from '../../storage/index.ts'
import type { HeldMetrics } from '../metrics/live-metrics.ts'
import { errorMessage, type LogHandler } from '../settings.ts'

interface TailReviewOptions {
  readonly store: EventStore
  /** The position of the restored state. */
  readonly upTo: Position
  /** The number of events to read. Defaults to 20,000. */
  readonly length?: number
  readonly metrics: HeldMetrics
  readonly measure: (event: StoredEvent, metrics: HeldMetrics['past']) => void
  /** If true, damage is logged but not reported as a problem. */
  readonly skipDamaged: boolean
  readonly logMessage: LogHandler
}

export class TailReview {
  readonly #options: TailReviewOptions
  readonly #damaged: Position[] = []
  readonly #reviewing: Promise<void>
  #failure: string | null = null
  #closed = false

  constructor(options: TailReviewOptions) {
    this.#options = options
    this.#reviewing = this.#review()
  }

  /** Damage of the log. The service serves nevertheless. */
  get problems(): readonly string[] {
    const [first, ...others] = this.#options.skipDamaged ? [] : this.#damaged
    const more = others.length > 0 ? ` and ${others.length} after it` : ''
    const damage = first === undefined ? [] : [`event ${first} of the log is damaged${more}`]
    return this.#failure === null ? damage : [...damage, this.#failure]
  }

  /** Stops reading. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#reviewing
  }

  async #review(): Promise<void> {
    const { upTo, metrics, logMessage } = this.#options
    try {
      if (upTo > 0) await this.#read()
    } catch (error) {
      const message = errorMessage('error', `the log up to event ${upTo} cannot be read`, error)
      this.#failure = message.message
      logMessage(message)
    }
    metrics.release()
  }

  async #read(): Promise<void> {
    const { store, upTo, length = 20_000, metrics, logMessage } = this.#options
    const onDamaged = (position: Position, reason: string): void => {
      this.#damaged.push(position)
      logMessage({ level: 'error', message: `event ${position} of the log is damaged: ${reason}` })
    }
    for await (const events of store.read(Math.max(0, upTo - length), { upTo, onDamaged })) {
      if (this.#closed) return
      // Too many live events have been held: the metrics have given up on older ones.
      if (metrics.isHeld) for (const event of events) this.#measure(event)
    }
  }

  #measure(event: StoredEvent): void {
    const { measure, metrics } = this.#options
    try {
      measure(event, metrics.past)
    } catch {
      // The event is invalid, which was logged when it was applied.
    }
  }
}
