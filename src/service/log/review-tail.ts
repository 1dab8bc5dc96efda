// The last events before a restored state are read once more, behind the back of a service that is
// ready: its figures go on from them, and damage shows before the state that covers it is gone.

import type { EventStore, Position, StoredEvent } from '../../storage/index.ts'
import type { HeldMetrics } from '../metrics/live-metrics.ts'
import type { LogMessage } from '../settings.ts'

interface TailReviewOptions {
  readonly store: EventStore
  /** Of the restored state. */
  readonly upTo: Position
  /** How many events. Defaults to 20,000. */
  readonly length?: number
  readonly metrics: HeldMetrics
  readonly measure: (event: StoredEvent, metrics: HeldMetrics['past']) => void
  /** If true, damage is logged and is no problem. */
  readonly skipDamaged: boolean
  readonly logMessage: (logMessage: LogMessage) => void
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

  /** What is wrong with the log, where something is: it keeps nobody from serving. */
  get problems(): readonly string[] {
    const [first, ...others] = this.#options.skipDamaged ? [] : this.#damaged
    const more = others.length > 0 ? ` and ${others.length} after it` : ''
    const damage = first === undefined ? [] : [`event ${first} of the log is damaged${more}`]
    return this.#failure === null ? damage : [...damage, this.#failure]
  }

  /** Resolves when nothing is read any more. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#reviewing
  }

  async #review(): Promise<void> {
    const { upTo, metrics, logMessage } = this.#options
    try {
      if (upTo > 0) await this.#read()
    } catch (error) {
      this.#failure = `the log up to event ${upTo} cannot be read: ${String(error)}`
      logMessage({ level: 'error', message: this.#failure })
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
      // Not where live figures could not wait any longer.
      if (metrics.isHeld) for (const event of events) this.#take(event)
    }
  }

  #take(event: StoredEvent): void {
    const { measure, metrics } = this.#options
    try {
      measure(event, metrics.past)
    } catch {
      // The event is invalid, which was logged when it was received.
    }
  }
}
