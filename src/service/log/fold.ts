// Routes each event of the log to the recommenders of the model groups that it concerns. The main
// thread and the learner do the same, live and in a replay, so nothing here may depend on anything
// but the log, the split of users and the groups.

import { RenError } from '../../core/errors.ts'
import type { ItemsPutEvent, UsersMergedEvent } from '../../core/events.ts'
import { hasStart, newItemBatches } from '../../recommender/index.ts'
import type { ObservedEvent, Recommender } from '../../recommender/index.ts'
import type { LogEvent, LoggedErasure, Position, StoredEvent } from '../../storage/index.ts'
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

  /** An item that the log names joins the catalog, even if its start is refused. */
  function putItems(event: ItemsPutEvent, position: Position, group: FoldedGroup): void {
    for (const items of newItemBatches(event.items, group.recommender.state.catalog)) {
      if (observe(group, position, { ...event, items }) || !hasStart(items[0]!)) continue
      observe(group, position, { ...event, items: items.map(({ item }) => ({ item })) })
    }
  }

  function merge({ user, from, time }: UsersMergedEvent, position: Position): void {
    const [source, target] = [ofUser(from), ofUser(user)]
    const other = source.recommender.state.users.get(from)
    if (other === undefined || user === from) return
    const joined = observe(target, position, { kind: 'user-joined', user, other })
    if (joined) observe(source, position, { kind: 'user-erased', user: from, time: time ?? 0 })
  }

  /** Counts of a variant that no longer exists still belong to the items: the first group has them. */
  function addCounts(event: LoggedErasure, position: Position): void {
    if (event.impressions.length + event.interactions.length === 0) return
    observe(ofVariant(event.variant) ?? groups[0]!, position, event)
  }

  function dispatch(event: LogEvent, position: Position, id: string | undefined): void {
    switch (event.kind) {
      case 'recommendation': {
        const named = id === undefined ? event : { ...event, recommendationId: id }
        return void observe(ofUser(event.user), position, named)
      }
      case 'interaction':
      case 'impressions':
        return void observe(ofUser(event.user), position, event)
      case 'items-put':
        return groups.forEach((group) => putItems(event, position, group))
      case 'items-removed':
        return groups.forEach((group) => removeItems(group, event.items, position))
      case 'users-merged':
        return merge(event, position)
      case 'erased':
        return addCounts(event, position)
      case 'user-erased':
        return
      default:
        return report(position, `no event is of the kind ${(event as LogEvent).kind}`)
    }
  }

  function removeItems(group: FoldedGroup, items: readonly string[], position: Position): void {
    const { catalog } = group.recommender.state
    const known = items.filter((item) => catalog.has(item))
    if (known.length > 0) observe(group, position, { kind: 'items-removed', items: known })
  }

  function observe(group: FoldedGroup, position: Position, event: ObservedEvent): boolean {
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
      for (const user of users) observe(ofUser(user), position, { kind: 'user-erased', user })
    },
  }
}
