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

export interface TailReview {
  /** What is wrong with the log, where something is: it keeps nobody from serving. */
  readonly problems: readonly string[]
  /** Resolves when nothing is read any more. */
  close(): Promise<void>
}

export function reviewTail(options: TailReviewOptions): TailReview {
  const { store, upTo, length = 20_000, metrics, measure, logMessage } = options
  const damaged: Position[] = []
  let failure: string | null = null
  let closed = false

  function onDamaged(position: Position, reason: string): void {
    damaged.push(position)
    logMessage({ level: 'error', message: `event ${position} of the log is damaged: ${reason}` })
  }

  async function read(): Promise<void> {
    const after = Math.max(0, upTo - length)
    for await (const events of store.read(after, { upTo, onDamaged })) {
      if (closed) return
      // Not where live figures could not wait any longer.
      if (metrics.isHeld) for (const event of events) take(event)
    }
  }

  function take(event: StoredEvent): void {
    try {
      measure(event, metrics.past)
    } catch {
      // The event is invalid, which was logged when it was received.
    }
  }

  async function review(): Promise<void> {
    try {
      await read()
    } catch (error) {
      failure = `the log up to event ${upTo} cannot be read: ${String(error)}`
      logMessage({ level: 'error', message: failure })
    }
    metrics.release()
  }

  if (upTo === 0) metrics.release()
  const reviewing = upTo === 0 ? Promise.resolve() : review()

  return {
    get problems() {
      const [first, ...others] = options.skipDamaged ? [] : damaged
      const more = others.length > 0 ? ` and ${others.length} after it` : ''
      const damage = first === undefined ? [] : [`event ${first} of the log is damaged${more}`]
      return failure === null ? damage : [...damage, failure]
    },
    async close() {
      closed = true
      await reviewing
    },
  }
}
