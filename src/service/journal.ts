// The one way of a service into the log. What is written is applied when it is durable, and never
// before: a write that fails leaves no trace.

import { RenError } from '../core/errors.ts'
import type { Appended, EventStore, Forgotten, NewEvent, StoredEvent } from '../storage/index.ts'
import type { Follower } from './follower.ts'

export interface Journal {
  /** Resolves when the events are durable; they are applied by then unless others wrote before them. */
  append(events: readonly NewEvent[]): Promise<Appended>
  /** Resolves when the user is gone, from the log and from whoever was told of it. */
  forget(request: Parameters<EventStore['forget']>[0]): Promise<Forgotten>
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
  follower: Pick<Follower, 'committed' | 'holdForgotten'>,
  onForgotten: (forgotten: Forgotten) => Promise<void>,
): Journal {
  let problem: string | null = null
  let failures = 0
  const pending = new Set<Promise<unknown>>()

  async function track<T>(write: Promise<T>): Promise<T> {
    pending.add(write)
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
    } finally {
      pending.delete(write)
    }
  }

  return {
    async append(events) {
      const appended = await track(store.append(events))
      const stored = events.flatMap((event, i): StoredEvent[] => {
        const { position, repeated } = appended.results[i]!
        return repeated ? [] : [{ ...event, position }]
      })
      if (stored.length > 0) follower.committed(stored)
      return appended
    },
    async forget(request) {
      const release = follower.holdForgotten()
      // Who it was is told before the event is applied, and nothing happens in between.
      const { forgotten, gone } = await track(store.forget(request))
        .then((told) => ({ forgotten: told, gone: onForgotten(told) }))
        .finally(release)
      const { position } = forgotten
      follower.committed([{ position, event: { kind: 'user-forgotten', time: request.time } }])
      await gone
      return forgotten
    },
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
