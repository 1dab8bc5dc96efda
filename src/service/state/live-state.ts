// The state that a service derives from its log. Each event updates the recommenders, attributes and
// metrics; then the listeners receive it.

import type { CatalogView } from '../../recommender/index.ts'
import type { Position, StoredEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { LoggedErasedUsers } from '../learning/learner-types.ts'
import { Fold } from '../log/fold.ts'
import { createVariantTotals, usersOf, type VariantTotals } from '../metrics/compare-variants.ts'
import { HeldMetrics, LiveMetrics } from '../metrics/live-metrics.ts'
import type { LiveEvent } from '../service.ts'
import type { CatalogAttributes } from '../serving/catalog-attributes.ts'
import { createSeenExclusion, type SeenExclusion } from '../serving/request-options.ts'
import { errorMessage, type LogHandler, type LogMessage } from '../settings.ts'
import { assignUsers, createSplit, type ModelGroup, type Split } from './model-groups.ts'
import type { ServedWeights } from './served-weights.ts'

interface Listener {
  readonly listener: (event: LiveEvent) => void
  /** Defaults to all kinds. */
  readonly kind: LiveEvent['kind'] | undefined
}

/** The subscribers of live events. */
export class Listeners {
  readonly #listeners = new Set<Listener>()

  hasAny(kind: LiveEvent['kind']): boolean {
    return this.#listeners.values().some((one) => one.kind === undefined || one.kind === kind)
  }

  /** Removes a listener that throws. */
  notify(event: LiveEvent): void {
    for (const one of this.#listeners) {
      if (one.kind !== undefined && one.kind !== event.kind) continue
      try {
        one.listener(event)
      } catch {
        this.#listeners.delete(one)
      }
    }
  }

  /** Returns a function that removes the listener. Adding a function twice makes two listeners. */
  add(listener: Listener['listener'], kind?: LiveEvent['kind']): () => void {
    const own = { listener, kind }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }
}

interface LiveStateOptions {
  readonly settings: CompleteSettings
  readonly groups: readonly ModelGroup[]
  readonly attributes: CatalogAttributes
  /** Serves the weights and blends that the log says. */
  readonly weights: Pick<ServedWeights, 'apply' | 'applyBlend'>
  readonly listeners: Listeners
  readonly logMessage: LogHandler
}

export class LiveState {
  readonly groups: readonly ModelGroup[]
  readonly split: Split
  readonly servedBy: ReturnType<typeof assignUsers>
  /** The catalog of the first group; all groups have the same rows. */
  readonly catalog: CatalogView
  readonly attributes: CatalogAttributes
  readonly totals: VariantTotals
  readonly seenExclusion: SeenExclusion
  readonly metrics: HeldMetrics
  /** False during the replay at the start. */
  isLive = false
  readonly #fold: Fold
  readonly #weights: LiveStateOptions['weights']
  readonly #listeners: Listeners
  readonly #logMessage: LogHandler
  /** The users that `user-erased` events concern, by the positions of events still to be applied. */
  readonly #erased = new Map<Position, readonly string[]>()

  constructor({ settings, groups, attributes, weights, ...others }: LiveStateOptions) {
    const { listeners, logMessage } = others
    this.#weights = weights
    const split = createSplit(settings)
    const variants = settings.variants.map(({ name }) => name)
    this.groups = groups
    this.split = split
    this.servedBy = assignUsers(groups, split)
    this.catalog = groups[0]!.recommender.state.catalog
    this.attributes = attributes
    this.totals = createVariantTotals(settings, split, groups)
    this.seenExclusion = createSeenExclusion(settings, groups)
    this.metrics = new HeldMetrics(new LiveMetrics({ variants, clock: settings.clock }))
    this.#fold = new Fold(groups, split, logMessage)
    this.#listeners = listeners
    this.#logMessage = logMessage
  }

  /** The names of all users, unsorted. */
  *userNames(): Generator<string> {
    for (const { recommender } of this.groups) yield* recommender.state.users.keys()
  }

  get itemCount(): number {
    return this.catalog.names.length - this.catalog.removed.size
  }

  get userCount(): number {
    return this.groups.reduce((sum, { recommender }) => sum + recommender.state.users.size, 0)
  }

  /** Applies events, in order and without gaps. */
  consume(events: readonly StoredEvent[]): void {
    for (const stored of events) {
      try {
        this.#apply(stored)
      } catch (error) {
        const what = `event ${stored.position} was not applied completely`
        this.#logMessage(errorMessage('error', what, error))
      }
    }
    for (const stored of events) this.#notify(stored)
  }

  /**
   * Erases users now, or together with the `user-erased` event at the position, which does not name
   * them.
   *
   * @param applied The position of the last applied event.
   */
  erase({ users, position }: LoggedErasedUsers, applied: Position): void {
    if (applied < position) this.#erased.set(position, users)
    else this.#drop(users, applied)
  }

  /** Counts an event in the metrics. */
  measure({ event, id }: StoredEvent, metrics: Pick<LiveMetrics, 'served' | 'feedback'>): void {
    if (event.kind === 'interaction') metrics.feedback(event)
    if (event.kind !== 'recommendation' || id === undefined) return
    const version = versionName(this.split.groupOf(event.variant) ?? '', event.modelVersion)
    metrics.served({ ...event, recommendationId: id, version, itemCount: this.itemCount })
  }

  #apply(stored: StoredEvent): void {
    const { event, position } = stored
    if (event.kind === 'user-erased') this.#eraseAt(position)
    else this.totals.around(usersOf(event), () => this.#fold.apply(stored))
    if (event.kind === 'items-put' || event.kind === 'items-removed') this.attributes.apply(event)
    if (event.kind === 'weights-published') this.#weights.apply(event)
    if (event.kind === 'blend-changed') this.#weights.applyBlend(event)
    this.measure(stored, this.metrics)
  }

  #eraseAt(position: Position): void {
    const users = this.#erased.get(position)
    this.#erased.delete(position)
    if (users !== undefined) this.#drop(users, position)
    else if (this.isLive) this.#logMessage(erasedElsewhere)
  }

  #drop(users: readonly string[], position: Position): void {
    this.totals.around(users, () => this.#fold.eraseUsers(users, position))
    for (const user of users) this.metrics.eraseUser(user)
  }

  #notify({ event, position, id }: StoredEvent): void {
    const listeners = this.#listeners
    if (event.kind === 'recommendation' && listeners.hasAny(event.kind)) {
      const { kind, time, variant, policy, user } = event
      const items = event.items.map(({ item }) => item)
      listeners.notify({ kind, time, variant, policy, user, recommendationId: id ?? '', items })
    } else if (event.kind === 'interaction' && listeners.hasAny(event.kind)) {
      const { kind, time, user, item, reward } = event
      const variant = this.split.variantOf(user).name
      listeners.notify({ kind, time, variant, user, item, reward, position })
    }
  }
}

/** The key of a version in the metrics. */
export const versionName = (group: string, version: number): string => `${version} of ${group}`

// The log does not name the user.
const erasedElsewhere: LogMessage = {
  level: 'warning',
  message: 'another process has erased a user, whose data stays in memory here until a restart',
}
