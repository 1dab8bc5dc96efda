// What happens as an event of the log is applied: recommenders and attributes apply it, then
// the listeners receive it.

import type { CatalogView } from '../../recommender/index.ts'
import type { Erasure, Position, StoredEvent } from '../../storage/index.ts'
import type { CatalogAttributes } from '../serving/catalog-attributes.ts'
import { usersOf } from '../metrics/compare-variants.ts'
import type { VariantTotals } from '../metrics/compare-variants.ts'
import type { Fold } from '../log/fold.ts'
import type { Listeners } from '../metrics/listeners.ts'
import type { LiveMetrics } from '../metrics/live-metrics.ts'
import type { LogMessage } from '../settings.ts'
import type { UserNames } from '../serving/user-names.ts'
import type { Split } from '../serving/variants.ts'

export interface LiveState {
  /** Events in order, without gaps. */
  apply(events: readonly StoredEvent[]): void
  /** Who is gone by an event that is about to be applied, or was a moment ago. */
  erase(erasure: Erasure, applied: Position): void
}

interface LiveStateOptions {
  readonly fold: Fold
  readonly attributes: CatalogAttributes
  readonly catalog: CatalogView
  readonly split: Split
  readonly totals: VariantTotals
  readonly userNames: UserNames
  readonly metrics: LiveMetrics
  readonly listeners: Listeners
  readonly logMessage: (logMessage: LogMessage) => void
  /** False while the log is read at the start. */
  readonly isLive: () => boolean
}

export function createLiveState(options: LiveStateOptions): LiveState {
  const { fold, attributes, totals, userNames, metrics, listeners } = options
  const names = new Map<Position, readonly string[]>()

  function eraseAt(position: Position): void {
    const users = names.get(position)
    names.delete(position)
    if (users !== undefined) drop(users, position)
    else if (options.isLive()) options.logMessage(erasedElsewhere)
  }

  function change(users: readonly string[], how: () => void): void {
    totals.around(users, how)
    userNames.update(users)
  }

  function drop(users: readonly string[], position: Position): void {
    change(users, () => fold.eraseUsers(users, position))
    for (const user of users) metrics.eraseUser(user)
  }

  function take(stored: StoredEvent): void {
    if (stored.event.kind === 'user-erased') eraseAt(stored.position)
    else change(usersOf(stored.event), () => fold.apply(stored))
    attributes.apply(stored.event)
    measure(stored, options)
  }

  return {
    apply(events) {
      for (const stored of events) {
        try {
          take(stored)
        } catch (error) {
          // The others are taken in all the same.
          const message = `event ${stored.position} was not taken in whole: ${String(error)}`
          options.logMessage({ level: 'error', message })
        }
      }
      if (listeners.count > 0) for (const stored of events) tell(stored, options)
    },
    erase({ users, position }, applied) {
      if (applied < position) names.set(position, users)
      else drop(users, applied)
    },
  }
}

/** What figures are made of. */
export function measure({ event, id }: StoredEvent, { metrics, catalog, split }: Measured): void {
  if (event.kind === 'interaction') metrics.feedback(event)
  if (event.kind !== 'recommendation' || id === undefined) return
  const version = versionName(split.groupOf(event.variant) ?? '', event.modelVersion)
  const itemCount = catalog.names.length - catalog.removed.size
  metrics.served({ ...event, recommendationId: id, version, itemCount })
}

interface Measured extends Pick<LiveStateOptions, 'catalog' | 'split'> {
  readonly metrics: Pick<LiveMetrics, 'served' | 'feedback'>
}

/** What figures know a version by. */
export const versionName = (group: string, version: number): string => `${version} of ${group}`

/** The log does not say who it was. */
const erasedElsewhere: LogMessage = {
  level: 'warning',
  message: 'another process has erased a user, who stays in memory here until the next start',
}

function tell({ event, position, id }: StoredEvent, { split, listeners }: LiveStateOptions): void {
  if (event.kind === 'recommendation') {
    const { kind, time, variant, policy, user } = event
    const items = event.items.map(({ item }) => item)
    listeners.tell({ kind, time, variant, policy, user, recommendationId: id ?? '', items })
  } else if (event.kind === 'interaction') {
    const { kind, time, user, item, reward } = event
    listeners.tell({
      kind,
      time,
      variant: split.variantOf(user).name,
      user,
      item,
      reward,
      position,
    })
  }
}
