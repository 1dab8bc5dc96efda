// Writes all events of a service to the log. Events are applied only once they are durable, so a
// failed write leaves no trace.

import { RenError } from '../../core/errors.ts'
import { createPending } from '../../core/pending.ts'
import type {
  Appended,
  EventStore,
  EraseUserRequest,
  Erasure,
  LogEvent,
  NewEvent,
  Position,
  StoredEvent,
} from '../../storage/index.ts'
import { errorMessage } from '../settings.ts'
import type { Tailer } from './tailer.ts'

/** Limits of a batch of events that no caller waits for: milliseconds and number of events. */
const batchMs = 25
const maxBatch = 256

export class Journal {
  readonly #store: EventStore
  readonly #tailer: Pick<Tailer, 'applied' | 'committed' | 'holdErasures'>
  readonly #onErasure: (erasure: Erasure) => Promise<void>
  /** Why the last write failed; null if it succeeded. */
  problem: string | null = null
  /** Writes, each until its events are applied. */
  readonly #pending = createPending()
  #batch: Batch | null = null

  constructor(
    store: EventStore,
    tailer: Pick<Tailer, 'applied' | 'committed' | 'holdErasures'>,
    onErasure: (erasure: Erasure) => Promise<void>,
  ) {
    this.#store = store
    this.#tailer = tailer
    this.#onErasure = onErasure
  }

  /** Resolves when the events are durable. They are also applied, unless others wrote before them. */
  append(events: readonly NewEvent[]): Promise<Appended> {
    return this.#next(() => this.#append(events))
  }

  /**
   * Appends an event that no caller waits for, in a batch with the other such events of the next few
   * milliseconds. The batch is sent before any later write. Resolves when the batch is durable.
   */
  appendSoon(event: NewEvent): Promise<Pick<Appended, 'head'>> {
    this.#batch ??= {
      events: [],
      timer: setTimeout(() => this.#sendBatch(), batchMs),
      sent: Promise.withResolvers(),
    }
    const { events, sent } = this.#batch
    if (events.push(event) >= maxBatch) this.#sendBatch()
    return sent.promise
  }

  /** Resolves with the position when the event is durable and, if the log can be read, applied. */
  commit(event: LogEvent): Promise<Position> {
    return this.#next(async () => {
      const { results } = await this.#append([{ event }])
      const { position } = results[0]!
      await this.#tailer.applied(position)
      return position
    })
  }

  /** Resolves when the user is erased from the log and from memory, in all threads. */
  eraseUser(request: EraseUserRequest): Promise<Erasure> {
    return this.#next(async () => {
      const release = this.#tailer.holdErasures()
      // Passes on the names before the event is applied, in the same tick as the release of the hold.
      const { erasure, erased } = await this.#watch(this.#store.eraseUser(request))
        .then((result) => ({ erasure: result, erased: this.#onErasure(result) }))
        .finally(release)
      const { position } = erasure
      this.#tailer.committed([{ position, event: { kind: 'user-erased', time: request.time } }])
      await erased
      return erasure
    })
  }

  /** Resolves when all writes that were begun have succeeded or failed. */
  async settled(): Promise<void> {
    this.#sendBatch()
    await this.#pending.settled()
  }

  /** Sends the batch first, so that the log has the order of the calls. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    this.#sendBatch()
    return this.#pending.track(work)
  }

  #sendBatch(): void {
    if (this.#batch === null) return
    const { events, timer, sent } = this.#batch
    this.#batch = null
    clearTimeout(timer)
    sent.resolve(this.#pending.track(() => this.#append(events)))
  }

  async #append(events: readonly NewEvent[]): Promise<Appended> {
    const appended = await this.#watch(this.#store.append(events))
    const stored = events.flatMap(({ id, event }, i): StoredEvent[] => {
      const { position, repeated } = appended.results[i]!
      return repeated ? [] : [id === undefined ? { position, event } : { position, id, event }]
    })
    if (stored.length > 0) this.#tailer.committed(stored)
    return appended
  }

  async #watch<T>(write: Promise<T>): Promise<T> {
    try {
      const result = await write
      this.problem = null
      return result
    } catch (error) {
      // An invalid event says nothing about the store.
      if (!(error instanceof RenError && error.code === 'invalid-argument')) {
        this.problem = errorMessage('error', 'the last write failed', error).message
      }
      throw error
    }
  }
}

interface Batch {
  readonly events: NewEvent[]
  readonly timer: NodeJS.Timeout
  readonly sent: PromiseWithResolvers<Appended>
}
