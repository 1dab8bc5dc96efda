// The log as the recommenders of a service hear it: one event of the log, at its position, becomes
// events for the groups that it concerns. The main thread and the learner fold alike, live and in
// replay, so nothing here may depend on anything but the log, the split and the groups.

import { RenError } from '../../core/errors.ts'
import type { Recommender, RenEvent } from '../../recommender/index.ts'
import type {
  ErasedEvent,
  ItemPut,
  ItemsPut,
  LogEvent,
  Position,
  Served,
  StoredEvent,
  UsersMerged,
} from '../../storage/index.ts'
import type { Split } from '../serving/variants.ts'
import type { LogMessage } from '../settings.ts'

/** What the fold needs of a group. */
export interface FoldedGroup {
  readonly name: string
  readonly recommender: Pick<Recommender, 'observe' | 'state'>
}

export interface Fold {
  /** Never throws: it logs an event that a recommender refuses, and leaves the event out. */
  apply(stored: StoredEvent): void
  /** What the nameless `user-erased` of that position means to whoever knows the names. */
  eraseUsers(users: readonly string[], position: Position): void
}

export function createFold(
  groups: readonly FoldedGroup[],
  split: Split,
  logMessage: (logMessage: LogMessage) => void,
): Fold {
  const byName = new Map(groups.map((group) => [group.name, group]))
  const ofVariant = (variant: string): FoldedGroup | undefined =>
    byName.get(split.groupOf(variant) ?? '')
  const ofUser = (user: string): FoldedGroup => ofVariant(split.variantOf(user).name)!

  function applyServed(served: Served, position: Position, id: string | undefined): void {
    const { user, time, items, counted, seenAllowed } = served
    tell(ofUser(user), position, {
      kind: 'shown',
      user,
      time,
      items: items.map(({ item }) => item),
      counted,
      ...(seenAllowed !== undefined && { seenAllowed }),
      ...(id !== undefined && { recommendationId: id }),
    })
  }

  /** Names without a start come in at once; an item with one may name others of the same event. */
  function applyItemsPut({ items, time }: ItemsPut, position: Position, group: FoldedGroup): void {
    const absent = newItems(items, group)
    const names = absent.filter((put) => !hasStart(put)).map(({ item }) => item)
    if (names.length > 0) tell(group, position, { kind: 'items-added', names, time })
    for (const { item, like, embedding } of absent.filter(hasStart)) {
      const added = { kind: 'items-added', names: [item], time } as const
      const start = embedding === undefined ? { like: like ?? [] } : { vectors: [embedding] }
      // An item that the log names is there, even if its start is none.
      if (!tell(group, position, { ...added, ...start })) tell(group, position, added)
    }
  }

  function applyMerge({ user, from, time }: UsersMerged, position: Position): void {
    const [source, target] = [ofUser(from), ofUser(user)]
    const other = source.recommender.state.users.get(from)
    if (other === undefined || user === from) return
    const joined = tell(target, position, { kind: 'user-joined', user, other })
    if (joined) tell(source, position, { kind: 'user-erased', user: from, time })
  }

  /** Counts of a variant that is no more are still totals of the items: the first group has them. */
  function applyErased(
    { variant, impressions, takes, day }: ErasedEvent,
    position: Position,
  ): void {
    if (impressions.length + takes.length === 0) return
    tell(ofVariant(variant) ?? groups[0]!, position, {
      kind: 'counts-changed',
      impressions,
      takes,
      ...(day !== undefined && { day }),
    })
  }

  function dispatch(event: LogEvent, position: Position, id: string | undefined): void {
    switch (event.kind) {
      case 'served':
        return applyServed(event, position, id)
      case 'feedback':
        return void tell(ofUser(event.user), position, { ...event, kind: 'taken' })
      case 'seen':
        return void tell(ofUser(event.user), position, event)
      case 'items-put':
        return groups.forEach((group) => applyItemsPut(event, position, group))
      case 'items-removed':
        return groups.forEach((group) => removeItems(group, event.items, position))
      case 'users-merged':
        return applyMerge(event, position)
      case 'erased':
        return applyErased(event, position)
      case 'user-erased':
        return
      default:
        return report(position, `no event is of the kind ${(event as LogEvent).kind}`)
    }
  }

  function removeItems(group: FoldedGroup, items: readonly string[], position: Position): void {
    const { catalog } = group.recommender.state
    const names = items.filter((item) => catalog.has(item))
    if (names.length > 0) tell(group, position, { kind: 'items-removed', names })
  }

  function tell(group: FoldedGroup, position: Position, event: RenEvent): boolean {
    try {
      group.recommender.observe(event, position)
      return true
    } catch (error) {
      if (!(error instanceof RenError)) throw error
      report(position, `${group.name}: ${error.message}`, error.code)
      return false
    }
  }

  function report(position: Position, message: string, code?: string): void {
    logMessage({
      level: 'warning',
      message: `event ${position} of the log is left out: ${message}`,
      ...(code !== undefined && { code }),
    })
  }

  return {
    apply({ event, position, id }) {
      try {
        dispatch(event, position, id)
      } catch (error) {
        report(position, String(error))
      }
    },
    eraseUsers(users, position) {
      for (const user of users) tell(ofUser(user), position, { kind: 'user-erased', user })
    },
  }
}

/** Those that cannot be recommended yet, each name once: the last word on it counts. */
function newItems(items: readonly ItemPut[], { recommender }: FoldedGroup): readonly ItemPut[] {
  const { catalog } = recommender.state
  const puts = new Map(items.map((put) => [put.item, put]))
  return [...puts.values()].filter(({ item }) => !catalog.has(item))
}

const hasStart = ({ like, embedding }: ItemPut): boolean =>
  embedding !== undefined || (like !== undefined && like.length > 0)
