// The one way of a service into the log. What is written is applied when it is durable, and never
// before: a write that fails leaves no trace.

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

export interface Journal {
  /** Resolves when the events are durable; they are applied by then unless others wrote before them. */
  append(events: readonly NewEvent[]): Promise<Appended>
  /**
   * For what nobody waits for: goes with what else comes within a few milliseconds, before anything
   * else that is written, and resolves with it.
   */
  appendSoon(event: NewEvent): Promise<Pick<Appended, 'head'>>
  /** Resolves with its position when the event is durable, and applied where that can be soon. */
  commit(event: LogEvent): Promise<Position>
  /** Resolves when the user is erased from the log and from all that received the user's events. */
  eraseUser(request: EraseUserRequest): Promise<Erasure>
  /** Why writes fail, until one succeeds. */
  readonly problem: string | null
  /** Writes that failed since the start. */
  readonly failures: number
  /** Writes on their way, or gathering for it. */
  readonly pending: number
  /** Resolves when those that are on their way have arrived, or failed. */
  settled(): Promise<void>
}

/** How long events gather, in milliseconds, and how many at most. */
const gatherMs = 25
const maxGathered = 256

export function createJournal(
  store: EventStore,
  tailer: Pick<Tailer, 'applied' | 'committed' | 'holdErasures'>,
  onErasure: (erasure: Erasure) => Promise<void>,
): Journal {
  let problem: string | null = null
  let failures = 0
  /** A write is on its way until what follows from it is done, too. */
  const pending = createPending()
  let gathered: Gathered | null = null
  let gatheredOnTheWay = 0

  /** All that is written later stands later in the log. */
  function sendGathered(): void {
    if (gathered === null) return
    const { events, timer, sent } = gathered
    gathered = null
    clearTimeout(timer)
    gatheredOnTheWay += events.length
    const done = pending.track(() => append(events))
    sent.resolve(done)
    done.finally(() => (gatheredOnTheWay -= events.length)).catch(() => {})
  }

  function appendSoon(event: NewEvent): Promise<Appended> {
    gathered ??= {
      events: [],
      timer: setTimeout(sendGathered, gatherMs),
      sent: Promise.withResolvers(),
    }
    const { events, sent } = gathered
    if (events.push(event) >= maxGathered) sendGathered()
    return sent.promise
  }

  /** Begins after what has gathered so far. */
  function next<T>(work: () => Promise<T>): Promise<T> {
    sendGathered()
    return pending.track(work)
  }

  async function watch<T>(write: Promise<T>): Promise<T> {
    try {
      const result = await write
      problem = null
      return result
    } catch (error) {
      // A refused write does not mean that the store is broken.
      if (!(error instanceof RenError && error.code === 'invalid-argument')) {
        failures += 1
        problem = `the last write failed: ${error instanceof Error ? error.message : String(error)}`
      }
      throw error
    }
  }

  async function append(events: readonly NewEvent[]): Promise<Appended> {
    const appended = await watch(store.append(events))
    const stored = events.flatMap(({ id, event }, i): StoredEvent[] => {
      const { position, repeated } = appended.results[i]!
      return repeated ? [] : [id === undefined ? { position, event } : { position, id, event }]
    })
    if (stored.length > 0) tailer.committed(stored)
    return appended
  }

  async function commit(event: LogEvent): Promise<Position> {
    const { results } = await append([{ event }])
    const { position } = results[0]!
    await tailer.applied(position)
    return position
  }

  async function eraseUser(request: EraseUserRequest): Promise<Erasure> {
    const release = tailer.holdErasures()
    // The user's name is reported before the event is applied, and nothing happens in between.
    const { erasure, gone } = await watch(store.eraseUser(request))
      .then((users) => ({ erasure: users, gone: onErasure(users) }))
      .finally(release)
    const { position } = erasure
    tailer.committed([{ position, event: { kind: 'user-erased', time: request.time } }])
    await gone
    return erasure
  }

  return {
    append: (events) => next(() => append(events)),
    appendSoon,
    commit: (event) => next(() => commit(event)),
    eraseUser: (request) => next(() => eraseUser(request)),
    get problem() {
      return problem
    },
    get failures() {
      return failures
    },
    get pending() {
      return pending.size + gatheredOnTheWay + (gathered?.events.length ?? 0)
    },
    async settled() {
      sendGathered()
      await pending.settled()
    },
  }
}

interface Gathered {
  readonly events: NewEvent[]
  readonly timer: NodeJS.Timeout
  readonly sent: PromiseWithResolvers<Appended>
}
