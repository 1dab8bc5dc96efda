// Own commits that wait for what lies before them in the log.

import type { Position, StoredEvent } from '../storage/index.ts'

export interface OwnCommits {
  readonly size: number
  add(events: readonly StoredEvent[]): void
  /** Those that follow a position without a gap; they wait no more, nor do those before it. */
  takeAfter(position: Position): readonly StoredEvent[]
  clear(): void
}

export function createOwnCommits(): OwnCommits {
  const waiting = new Map<Position, StoredEvent>()
  return {
    get size() {
      return waiting.size
    },
    add(events) {
      for (const event of events) waiting.set(event.position, event)
    },
    takeAfter(position) {
      const next: StoredEvent[] = []
      for (const at of waiting.keys()) if (at <= position) waiting.delete(at)
      for (let at = position + 1; waiting.has(at); at++) {
        next.push(waiting.get(at)!)
        waiting.delete(at)
      }
      return next
    },
    clear: () => waiting.clear(),
  }
}
