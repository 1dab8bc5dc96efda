// Keeps a service at the head of the log: applies its own commits in the order of their positions,
// and reads what others have written in between.

import { RenError } from '../core/errors.ts'
import type { EventStore, Position, StoredEvent } from '../storage/index.ts'
import type { Notice } from './settings.ts'
import { createWaiters } from './waiters.ts'

export interface FollowerOptions {
  readonly store: EventStore
  /** Up to here all is applied. */
  readonly position: Position
  /** Takes in events without gaps, each once. */
  readonly apply: (events: readonly StoredEvent[]) => void
  readonly skipDamaged: boolean
  readonly notice: (notice: Notice) => void
}

export interface Follower {
  readonly position: Position
  /** Why the log cannot be followed, where it cannot. */
  readonly failure: Error | null
  /** Looks for the writes of others from here on, now and then. */
  start(): void
  /** These are durable. */
  committed(events: readonly StoredEvent[]): void
  /** Resolves when everything up to a position is applied; after the timeout it is an error. */
  reached(position: Position, timeoutMs?: number): Promise<void>
  /** Looks for what others have written, and applies it. */
  catchUp(): Promise<void>
  /**
   * Until the returned function is called, no `user-forgotten` is read from the log: it may be an own
   * one, which does not say whose it is until its write has come back.
   */
  holdForgotten(): () => void
  close(): Promise<void>
}

/** How long the writes of others may go unnoticed where nothing else happens, in milliseconds. */
const pollMs = 500

export function createFollower(options: FollowerOptions): Follower {
  const { store, apply, notice } = options
  let { position } = options
  let failure: Error | null = null
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> | null = null
  let closed = false
  let holds = 0
  /** Own commits that wait for what lies before them. */
  const waiting = new Map<Position, StoredEvent>()
  const waiters = createWaiters()

  function advance(events: readonly StoredEvent[]): void {
    const next = events.filter((event) => event.position > position)
    const last = next.at(-1)
    if (last === undefined) return
    position = last.position
    apply(next)
    waiters.reached(position)
  }

  /** Own commits that have no gap before them any more. */
  function advanceWaiting(): void {
    const next: StoredEvent[] = []
    for (const at of waiting.keys()) if (at <= position) waiting.delete(at)
    for (let at = position + 1; waiting.has(at); at++) {
      next.push(waiting.get(at)!)
      waiting.delete(at)
    }
    advance(next)
  }

  async function readOn(): Promise<void> {
    let damaged = 0
    const onDamaged = (at: Position, reason: string) => {
      damaged = at
      notice({ level: 'error', message: `event ${at} of the log is left out: ${reason}` })
    }
    try {
      for await (const events of store.read(position, options.skipDamaged ? { onDamaged } : {})) {
        const held = holds > 0 ? events.findIndex(isNewForgotten) : -1
        if (!closed) advance(held < 0 ? events : events.slice(0, held))
        if (closed || held >= 0) return
      }
      position = Math.max(position, damaged)
      failure = null
    } catch (error) {
      fail(error)
    }
    advanceWaiting()
  }

  const isNewForgotten = ({ event, position: at }: StoredEvent): boolean =>
    event.kind === 'user-forgotten' && at > position

  /** Each reason is told of once. */
  function fail(error: unknown): void {
    const before = failure?.message
    failure = error instanceof Error ? error : new Error(String(error))
    if (before === failure.message) return
    const message = `the log cannot be read after event ${position}: ${failure.message}`
    notice({ level: 'error', message, ...(error instanceof RenError && { code: error.code }) })
  }

  function catchUp(): Promise<void> {
    reading ??= readOn().finally(() => {
      reading = null
    })
    return reading
  }

  async function poll(): Promise<void> {
    try {
      const head = await store.head()
      if (head > position && !closed) await catchUp()
      else failure = null
    } catch (error) {
      if (!closed) fail(error)
    }
  }

  return {
    get position() {
      return position
    },
    get failure() {
      return failure
    },
    start() {
      timer = setInterval(() => void poll(), pollMs).unref()
    },
    committed(events) {
      if (events[0]?.position === position + 1 && waiting.size === 0) return advance(events)
      for (const event of events) waiting.set(event.position, event)
      advanceWaiting()
      if (waiting.size > 0) void catchUp()
    },
    async reached(wanted, timeoutMs = 5000) {
      if (wanted <= position) return
      void poll()
      await waiters.wait(wanted, timeoutMs)
    },
    catchUp,
    holdForgotten() {
      holds += 1
      return () => {
        holds -= 1
      }
    },
    async close() {
      clearInterval(timer)
      await reading
      closed = true
      waiters.end()
    },
  }
}
