// The one way of a service into the log. What is written is applied when it is durable, and never
// before: a write that fails leaves no trace.

import { RenError } from '../core/errors.ts'
import type {
  Appended,
  EventStore,
  ForgetRequest,
  Forgotten,
  LogEvent,
  NewEvent,
  Position,
  StoredEvent,
} from '../storage/index.ts'
import type { Follower } from './follower.ts'

export interface Journal {
  /** Resolves when the events are durable; they are applied by then unless others wrote before them. */
  append(events: readonly NewEvent[]): Promise<Appended>
  /** Resolves when the event is durable and applied, with its position. */
  commit(event: LogEvent): Promise<Position>
  /** Resolves when the user is gone, from the log and from whoever was told of it. */
  forget(request: ForgetRequest): Promise<Forgotten>
  /** Why writes fail, until one succeeds. */
  readonly problem: string | null
  /** Writes that failed since the start. */
  readonly failures: number
  /** Writes on their way. */
  readonly pending: number
  /** Resolves when those that are on their way have arrived, or failed. */
  settled(): Promise<void>
}

export function createJournal(
  store: EventStore,
  follower: Pick<Follower, 'committed' | 'holdForgotten' | 'reached'>,
  onForgotten: (forgotten: Forgotten) => Promise<void>,
): Journal {
  let problem: string | null = null
  let failures = 0
  const pending = new Set<Promise<unknown>>()

  /** On its way until what follows from it is done, too. */
  async function track<T>(work: () => Promise<T>): Promise<T> {
    const run = work()
    pending.add(run)
    try {
      return await run
    } finally {
      pending.delete(run)
    }
  }

  async function watch<T>(write: Promise<T>): Promise<T> {
    try {
      const result = await write
      problem = null
      return result
    } catch (error) {
      // What the store refuses to be told says nothing of the store.
      if (!(error instanceof RenError && error.code === 'invalid-argument')) {
        failures += 1
        problem = `the last write failed: ${error instanceof Error ? error.message : String(error)}`
      }
      throw error
    }
  }

  async function append(events: readonly NewEvent[]): Promise<Appended> {
    const appended = await watch(store.append(events))
    const stored = events.flatMap((event, i): StoredEvent[] => {
      const { position, repeated } = appended.results[i]!
      return repeated ? [] : [{ ...event, position }]
    })
    if (stored.length > 0) follower.committed(stored)
    return appended
  }

  async function commit(event: LogEvent): Promise<Position> {
    const { results } = await append([{ event }])
    const { position } = results[0]!
    await follower.reached(position)
    return position
  }

  async function forget(request: ForgetRequest): Promise<Forgotten> {
    const release = follower.holdForgotten()
    // Who it was is told before the event is applied, and nothing happens in between.
    const { forgotten, gone } = await watch(store.forget(request))
      .then((told) => ({ forgotten: told, gone: onForgotten(told) }))
      .finally(release)
    const { position } = forgotten
    follower.committed([{ position, event: { kind: 'user-forgotten', time: request.time } }])
    await gone
    return forgotten
  }

  return {
    append: (events) => track(() => append(events)),
    commit: (event) => track(() => commit(event)),
    forget: (request) => track(() => forget(request)),
    get problem() {
      return problem
    },
    get failures() {
      return failures
    },
    get pending() {
      return pending.size
    },
    async settled() {
      await Promise.allSettled(pending)
    },
  }
}
