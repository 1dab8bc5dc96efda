// What a decision needs of the model and the uncertainty estimator, cached between requests: θ of each user, and
// the uncertainty of each item.

import type { ImpressionsEvent } from '../core/events.ts'
import type { ItemIndex } from '../core/types.ts'
import type { Evidence, UncertaintyEstimator } from '../exploration/index.ts'
import { sliceHistory } from '../models/batch.ts'
import type { History, SequenceModel, ItemDeviations } from '../models/index.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { impressionFlags } from './seen-items.ts'
import type { State, StateContents } from './state.ts'
import { interactionsOf, newUser, findSlate } from './user-state.ts'
import type { UserState } from './user-state.ts'

type OnlineState = NonNullable<ReturnType<SequenceModel['openState']>>

interface CachedEmbedding {
  readonly version: number
  /** Interactions, with those that were dropped since: as many mean the same. */
  readonly count: number
  readonly online: OnlineState | null
  readonly theta: Float32Array
}

/** θ_t of a user (d values); read-only. */
export type UserEmbeddings = (user: UserState) => Float32Array

/**
 * Caches θ of each user until the history or the weights change. If the model is recurrent, one more interaction
 * costs one step as long as the whole history fits the model's window. Any other change reads the history again,
 * because steps that have left the window cannot be undone.
 */
export function createUserEmbeddings(model: SequenceModel): UserEmbeddings {
  // By the history itself: it is dropped with the user.
  const cache = new WeakMap<UserState['history'], CachedEmbedding>()

  function follow({ history }: UserState, last: CachedEmbedding | undefined): OnlineState | null {
    if (history.length > model.architecture.window || history.dropped > 0) return null
    const opened = last?.online ?? model.openState(historyOf(unknownUser))
    const { items, rewards, times } = history.columns(last?.online ? last.count : 0)
    for (const [i, item] of items.entries()) opened?.advance(item, rewards[i]!, times[i]!)
    return opened
  }

  return (user) => {
    const { version, dimension } = model
    const known = cache.get(user.history)
    const last = known?.version === version ? known : undefined
    const count = interactionsOf(user)
    if (last?.count === count) return last.theta
    const online = follow(user, last)
    const theta = new Float32Array(dimension)
    if (online === null) model.userEmbedding(lastOf(user, model.architecture.window), theta)
    else online.theta(theta)
    cache.set(user.history, { version, count, online, theta })
    return theta
  }
}

/** The last `most` interactions: a model checks whatever it is given, also what it does not read. */
function lastOf({ history, timeBefore }: UserState, most: number): History {
  const from = Math.max(0, history.length - most)
  const before = from > 0 ? history.column('times', from - 1, from)[0]! : timeBefore
  return { ...history.columns(from), ...(before !== null && { timeBefore: before }) }
}

/** The state of a user without events. */
export const unknownUser: UserState = newUser()

/** The interactions that are kept, without a copy: good until the user's next event. */
export function historyOf({ history, timeBefore }: UserState): History {
  return { ...history.columns(), ...(timeBefore !== null && { timeBefore }) }
}

export interface Uncertainty {
  /** Read-only; the values change with the next call. */
  readonly values: Float32Array
  /** Another number whenever some of them were estimated again. */
  readonly version: number
}

export type UncertaintyCache = () => Uncertainty

/** Caches ‖σ_k‖∞ of every item: only items whose value may have changed are estimated again. */
export function cacheUncertainty(
  estimator: UncertaintyEstimator,
  deviations: ItemDeviations | undefined,
  state: State,
  model: SequenceModel,
): UncertaintyCache {
  const learned = deviations && cacheDeviations(deviations, model)
  const { movedBy } = estimator
  const isCounted = movedBy === 'shown' || movedBy === 'counts'
  let values = new Float32Array()
  let version = 0
  /** What the values were estimated from; null where that did not succeed. */
  let estimated: readonly unknown[] | null = null

  /** All that can move any value. Items whose counts changed move their own value, one by one. */
  function basis(): readonly unknown[] {
    const { generation } = estimator
    if (isCounted) return [generation]
    return movedBy === 'weights' ? [generation, model.version] : [model.version, state.events]
  }

  return () => {
    const recounted = state.takeRecounted(movedBy === 'counts')
    const now = basis()
    const known = estimated
    const isWhole = values.length === model.itemCount && known !== null
    const hasMoved = !isWhole || now.some((value, i) => value !== known[i])
    if (!hasMoved && (!isCounted || recounted.length === 0)) {
      return { values, version }
    }
    estimated = null
    version += 1
    if (values.length !== model.itemCount) values = new Float32Array(model.itemCount)
    const evidence = evidenceOf(state, learned)
    if (hasMoved) estimator.estimate(evidence, values)
    else estimator.estimate(evidence, values, recounted)
    estimated = now
    return { values, version }
  }
}

/** Deviations are worth computing only for an estimator that reads them. */
function evidenceOf(
  { impressions, takes }: State,
  learned: (() => Float32Array) | undefined,
): Evidence {
  if (learned === undefined) return { impressions, takes }
  return {
    impressions,
    takes,
    get deviations() {
      return learned()
    },
  }
}

/** They move with the weights alone, and cost a look at the whole table. */
function cacheDeviations(deviations: ItemDeviations, model: SequenceModel): () => Float32Array {
  let cachedVersion = -1
  let values: Float32Array = new Float32Array()
  return () => {
    if (cachedVersion !== model.version) {
      values = deviations.deviations()
      cachedVersion = model.version
    }
    return values
  }
}

export interface NewlyShown {
  readonly rows: readonly ItemIndex[]
  readonly theta: Float32Array
}

/**
 * What an uncertainty estimator observes of an event: the items that were shown, and θ as it was then. Call it
 * before the event is applied. Items that turn out to be unseen later still count.
 */
export function newlyShown(
  event: ObservedEvent,
  state: StateContents,
  embeddings: { userEmbedding(user: string): Float32Array },
  model: SequenceModel,
): NewlyShown | null {
  if (event.kind === 'impressions') return newlySeen(event, state, model)
  if (event.kind !== 'recommendation' || event.counted === false) return null
  const rows = event.items.map(({ item }) => state.catalog.row(item))
  return { rows, theta: embeddings.userEmbedding(event.user) }
}

function newlySeen(
  event: ImpressionsEvent,
  state: StateContents,
  model: SequenceModel,
): NewlyShown | null {
  const user = state.users.get(event.user)
  const slate = user && findSlate(user, event.recommendationId)
  if (slate === undefined) return null
  const { items, flags, after } = slate
  const isNew = (item: ItemIndex, slot: number) =>
    (flags[slot]! & impressionFlags.unseen) !== 0 &&
    event.items.includes(state.catalog.names[item]!)
  const rows = [...items].filter(isNew)
  if (rows.length === 0) return null
  const theta = new Float32Array(model.dimension)
  const before = Math.max(0, after[0]! - user!.history.dropped)
  model.userEmbedding(sliceHistory(historyOf(user!), 0, before), theta)
  return { rows, theta }
}
