// All writes of a service to the log. An event is applied when it is durable, and never before: a
// write that fails leaves no trace.

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
import type { Tailer } from './tailer.ts'

/** How long events gather, in milliseconds, and how many at most. */
const gatherMs = 25
const maxGathered = 256

export class Journal {
  readonly #store: EventStore
  readonly #tailer: Pick<Tailer, 'applied' | 'committed' | 'holdErasures'>
  readonly #onErasure: (erasure: Erasure) => Promise<void>
  /** Why writes fail, until one succeeds. */
  problem: string | null = null
  /** Writes that failed since the start. */
  failures = 0
  /** A write is on its way until what follows from it is done, too. */
  readonly #pending = createPending()
  #gathered: Gathered | null = null

  constructor(
    store: EventStore,
    tailer: Pick<Tailer, 'applied' | 'committed' | 'holdErasures'>,
    onErasure: (erasure: Erasure) => Promise<void>,
  ) {
    this.#store = store
    this.#tailer = tailer
    this.#onErasure = onErasure
  }

  /** Resolves when the events are durable; they are applied by then unless others wrote before them. */
  append(events: readonly NewEvent[]): Promise<Appended> {
    return this.#next(() => this.#append(events))
  }

  /**
   * For an event that no caller waits for: goes with what else comes within a few milliseconds,
   * before anything else that is written, and resolves with it.
   */
  appendSoon(event: NewEvent): Promise<Pick<Appended, 'head'>> {
    this.#gathered ??= {
      events: [],
      timer: setTimeout(() => this.#sendGathered(), gatherMs),
      sent: Promise.withResolvers(),
    }
    const { events, sent } = this.#gathered
    if (events.push(event) >= maxGathered) this.#sendGathered()
    return sent.promise
  }

  /** Resolves with its position when the event is durable, and applied where that can be soon. */
  commit(event: LogEvent): Promise<Position> {
    return this.#next(async () => {
      const { results } = await this.#append([{ event }])
      const { position } = results[0]!
      await this.#tailer.applied(position)
      return position
    })
  }

  /** Resolves when the user is erased from the log and from all that received the user's events. */
  eraseUser(request: EraseUserRequest): Promise<Erasure> {
    return this.#next(async () => {
      const release = this.#tailer.holdErasures()
      // The user's name is reported before the event is applied, and nothing happens in between.
      const { erasure, gone } = await this.#watch(this.#store.eraseUser(request))
        .then((users) => ({ erasure: users, gone: this.#onErasure(users) }))
        .finally(release)
      const { position } = erasure
      this.#tailer.committed([{ position, event: { kind: 'user-erased', time: request.time } }])
      await gone
      return erasure
    })
  }

  /** Resolves when those that are on their way have arrived, or failed. */
  async settled(): Promise<void> {
    this.#sendGathered()
    await this.#pending.settled()
  }

  /** Begins after what has gathered so far. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    this.#sendGathered()
    return this.#pending.track(work)
  }

  /** All that is written later stands later in the log. */
  #sendGathered(): void {
    if (this.#gathered === null) return
    const { events, timer, sent } = this.#gathered
    this.#gathered = null
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
      // A refused write does not mean that the store is broken.
      if (!(error instanceof RenError && error.code === 'invalid-argument')) {
        this.failures += 1
        const reason = error instanceof Error ? error.message : String(error)
        this.problem = `the last write failed: ${reason}`
      }
      throw error
    }
  }
}

interface Gathered {
  readonly events: NewEvent[]
  readonly timer: NodeJS.Timeout
  readonly sent: PromiseWithResolvers<Appended>
}
