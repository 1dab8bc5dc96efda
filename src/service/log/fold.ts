// Routes each event of the log to the recommenders of the model groups that it concerns. The main
// thread and the learner must arrive at the same state, live and in a replay. Nothing here may
// therefore depend on anything but the log, the split of users and the groups.

import { RenError } from '../../core/errors.ts'
import type { ItemsPutEvent, UsersMergedEvent } from '../../core/events.ts'
import { hasStart, newItemBatches } from '../../recommender/catalog.ts'
import type { ObservedEvent, Recommender } from '../../recommender/index.ts'
import type { LogEvent, LoggedErasure, Position, StoredEvent } from '../../storage/index.ts'
import type { Split } from '../state/model-groups.ts'
import { errorMessage, type LogHandler } from '../settings.ts'

export interface FoldedGroup {
  readonly name: string
  readonly recommender: Pick<Recommender, 'observe' | 'state'>
}

export class Fold {
  readonly #groups: readonly FoldedGroup[]
  readonly #split: Split
  readonly #logMessage: LogHandler

  constructor(groups: readonly FoldedGroup[], split: Split, logMessage: LogHandler) {
    this.#groups = groups
    this.#split = split
    this.#logMessage = logMessage
  }

  /** Never throws. Skips an event that a recommender refuses, and logs a warning. */
  apply({ event, position, id }: StoredEvent): void {
    try {
      this.#dispatch(event, position, id)
    } catch (error) {
      this.#report(position, error)
    }
  }

  /** Erases users. The `user-erased` event at the position does not name them. */
  eraseUsers(users: readonly string[], position: Position): void {
    for (const user of users) {
      this.#observe(this.#ofUser(user), position, { kind: 'user-erased', user })
    }
  }

  #dispatch(event: LogEvent, position: Position, id: string | undefined): void {
    switch (event.kind) {
      case 'recommendation': {
        const withId = id === undefined ? event : { ...event, recommendationId: id }
        return void this.#observe(this.#ofUser(event.user), position, withId)
      }
      case 'interaction':
      case 'impressions':
        return void this.#observe(this.#ofUser(event.user), position, event)
      case 'items-put':
        return this.#groups.forEach((group) => this.#putItems(event, position, group))
      case 'items-removed':
        return this.#groups.forEach((group) => this.#removeItems(group, event.items, position))
      case 'users-merged':
        return this.#merge(event, position)
      case 'erased':
        return this.#addCounts(event, position)
      // The service applies these.
      case 'user-erased':
      case 'weights-published':
      case 'blend-changed':
        return
      default:
        return this.#report(position, `its kind ${(event as LogEvent).kind} is unknown`)
    }
  }

  /** Adds every item to the catalog, even if its `like` or `embedding` is refused. */
  #putItems(event: ItemsPutEvent, position: Position, group: FoldedGroup): void {
    for (const items of newItemBatches(event.items, group.recommender.state.catalog)) {
      if (this.#observe(group, position, { ...event, items }) || !hasStart(items[0]!)) continue
      this.#observe(group, position, { ...event, items: items.map(({ item }) => ({ item })) })
    }
  }

  #removeItems(group: FoldedGroup, items: readonly string[], position: Position): void {
    const { catalog } = group.recommender.state
    const known = items.filter((item) => catalog.has(item))
    if (known.length > 0) this.#observe(group, position, { kind: 'items-removed', items: known })
  }

  #merge({ user, from, time = 0 }: UsersMergedEvent, position: Position): void {
    const [source, target] = [this.#ofUser(from), this.#ofUser(user)]
    const other = source.recommender.state.users.get(from)
    if (other === undefined || user === from) return
    const isMerged = this.#observe(target, position, { kind: 'user-joined', user, other })
    if (isMerged) this.#observe(source, position, { kind: 'user-erased', user: from, time })
  }

  /** The counts of a variant that no longer exists go to the first group. */
  #addCounts(event: LoggedErasure, position: Position): void {
    if (event.impressions.length + event.interactions.length === 0) return
    this.#observe(this.#ofVariant(event.variant) ?? this.#groups[0]!, position, event)
  }

  #ofVariant(variant: string): FoldedGroup | undefined {
    const name = this.#split.groupOf(variant)
    return this.#groups.find((group) => group.name === name)
  }

  #ofUser(user: string): FoldedGroup {
    return this.#ofVariant(this.#split.variantOf(user).name)!
  }

  #observe(group: FoldedGroup, position: Position, event: ObservedEvent): boolean {
    try {
      group.recommender.observe(event, position)
      return true
    } catch (error) {
      if (!(error instanceof RenError)) throw error
      this.#report(position, error, ` by ${group.name}`)
      return false
    }
  }

  #report(position: Position, error: unknown, by = ''): void {
    const what = `event ${position} of the log is skipped${by}`
    this.#logMessage(errorMessage('warning', what, error))
  }
}
