// The inputs of decisions from the model and the uncertainty estimator, cached between requests: θ
// of each user, and the uncertainty of each item.

import type { ImpressionsEvent } from '../core/events.ts'
import type { ItemIndex } from '../core/types.ts'
import type { Evidence, UncertaintyEstimator } from '../exploration/index.ts'
import { sliceHistory } from '../models/batch.ts'
import type { History, SequenceModel, ItemDeviations } from '../models/index.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { impressionFlags } from './seen-items.ts'
import type { State, StateContents } from './state.ts'
import { interactionsOf, newUser, findSlate, type UserState } from './user-state.ts'

type OnlineState = NonNullable<ReturnType<SequenceModel['openState']>>

interface CachedEmbedding {
  readonly version: number
  /** The number of interactions, including dropped ones: an equal number means an equal history. */
  readonly count: number
  readonly online: OnlineState | null
  readonly theta: Float32Array
}

/** θ_t of a user (d values); read-only. */
export type UserEmbeddings = (user: UserState) => Float32Array

/**
 * Caches θ of each user until the history or the weights change. In a recurrent model, another
 * interaction costs one step while the whole history fits the model's window. Any other change
 * reads the history again, because steps that left the window cannot be undone.
 */
export function createUserEmbeddings(model: SequenceModel): UserEmbeddings {
  // The key is the history, so an entry is freed with its user.
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
    const cached = cache.get(user.history)
    const last = cached?.version === version ? cached : undefined
    const count = interactionsOf(user)
    if (last?.count === count) return last.theta
    const online = follow(user, last)
    const theta = new Float32Array(dimension)
    if (online === null) model.userEmbedding(recentHistory(user, model.architecture.window), theta)
    else online.theta(theta)
    cache.set(user.history, { version, count, online, theta })
    return theta
  }
}

/**
 * Returns the last `max` interactions. A model validates its whole input, so less input is faster.
 */
function recentHistory({ history, timeBefore }: UserState, max: number): History {
  const from = Math.max(0, history.length - max)
  const before = from > 0 ? history.column('times', from - 1, from)[0]! : timeBefore
  return { ...history.columns(from), ...(before !== null && { timeBefore: before }) }
}

/** The state of a user without events. */
export const unknownUser: UserState = newUser()

/** Returns the retained interactions without a copy. Read them before the user's next event. */
export function historyOf({ history, timeBefore }: UserState): History {
  return { ...history.columns(), ...(timeBefore !== null && { timeBefore }) }
}

export type UncertaintyCache = () => {
  /** Read-only, and valid until the next call. */
  readonly values: Float32Array
  /** Changes whenever values were estimated again. */
  readonly version: number
}

/** Caches ‖σ_k‖∞ of every item. Only items whose value may have changed are estimated again. */
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
  /** The `basis` of the values; null if there are none or the estimator threw. */
  let estimated: readonly unknown[] | null = null

  /** The versions that all values depend on. The count of an item changes only its own value. */
  function basis(): readonly unknown[] {
    const { generation } = estimator
    if (isCounted) return [generation]
    return movedBy === 'weights' ? [generation, model.version] : [model.version, state.events]
  }

  return () => {
    const recounted = state.takeRecounted(movedBy === 'counts')
    const now = basis()
    const before = estimated
    const isWhole = values.length === model.itemCount && before !== null
    const hasMoved = !isWhole || now.some((value, i) => value !== before[i])
    if (!hasMoved && (!isCounted || recounted.length === 0)) return { values, version }
    estimated = null
    version += 1
    if (values.length !== model.itemCount) values = new Float32Array(model.itemCount)
    const evidence = evidenceOf(state, learned)
    estimator.estimate(evidence, values, hasMoved ? undefined : recounted)
    estimated = now
    return { values, version }
  }
}

/** Computes deviations lazily, because only one estimator reads them. */
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

/** Caches the deviations until the weights change: they cost a pass over the whole table. */
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

interface NewlyShown {
  readonly rows: readonly ItemIndex[]
  readonly theta: Float32Array
}

/**
 * Returns the items that an event shows and θ at that time, for an uncertainty estimator. Call it
 * before the event is applied. Items that are reported as unseen later still count.
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
