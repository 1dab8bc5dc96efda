// Slates that were handed out and are not applied yet. State changes only when an event is durable;
// to their users they were shown when they were served.

import type { LoggedRecommendation, StoredEvent } from '../../storage/index.ts'

export interface PendingSlates {
  /** From here on until it is applied, or `end` has come, whichever way. */
  add(id: string, slate: LoggedRecommendation, end: Promise<unknown>): void
  /** These are part of the state now. */
  applied(events: readonly StoredEvent[]): void
  get(id: string): LoggedRecommendation | undefined
  /** In the order in which they were served. */
  ofUser(user: string): ReadonlySet<LoggedRecommendation>
  readonly size: number
}

const none: ReadonlySet<LoggedRecommendation> = new Set()

export function createPendingSlates(): PendingSlates {
  const byId = new Map<string, LoggedRecommendation>()
  const byUser = new Map<string, Set<LoggedRecommendation>>()
  /** The slates of the last end: many are written together, and share one. */
  let last: { readonly end: Promise<unknown>; readonly ids: string[] } | null = null

  function remove(id: string): void {
    const slate = byId.get(id)
    if (slate === undefined) return
    byId.delete(id)
    const slates = byUser.get(slate.user)!
    slates.delete(slate)
    if (slates.size === 0) byUser.delete(slate.user)
  }

  /** A list whose slates go when the end has come. */
  function removedAfter(end: Promise<unknown>): string[] {
    const ids: string[] = []
    const ended = (): void => ids.forEach(remove)
    end.then(ended, ended)
    return ids
  }

  return {
    add(id, slate, end) {
      byId.set(id, slate)
      byUser.set(slate.user, (byUser.get(slate.user) ?? new Set()).add(slate))
      if (last?.end !== end) last = { end, ids: removedAfter(end) }
      last.ids.push(id)
    },
    applied(events) {
      if (byId.size === 0) return
      for (const { id } of events) if (id !== undefined) remove(id)
    },
    get: (id) => byId.get(id),
    ofUser: (user) => byUser.get(user) ?? none,
    get size() {
      return byId.size
    },
  }
}
