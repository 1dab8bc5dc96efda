// Turns a request with names into a decision with rows for a policy, and the policy's picks into a
// slate with pinned items. The inputs from the model and the uncertainty estimator are cached between
// requests.

import { describeValue } from '../core/describe-value.ts'
import { formatPath, invalidAt, RenError } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type {
  Decision,
  Explanation,
  ExplorationPolicy,
  ScoredItem,
  Slate,
  UncertaintyEstimator,
} from '../exploration/index.ts'
import type { RewardModel } from '../exploration/reward-model.ts'
import type { History, ItemDeviations, SequenceModel } from '../models/index.ts'
import type { CatalogView } from './catalog.ts'
import type { RecommendRequest } from './recommender-api.ts'
import type { Relevance } from './relevance.ts'
import type { State } from './state.ts'
import type { FeedbackKind } from './training-examples.ts'
import {
  historyOf,
  interactionsOf,
  reportedItems,
  seenRows,
  unknownUser,
  type UserState,
} from './user-state.ts'

const noRows = new Int32Array(0)

/** What the parts of a recommender share. */
export interface RecommenderParts {
  readonly model: SequenceModel
  readonly state: State
  readonly uncertainty: UncertaintyEstimator
  readonly deviations: ItemDeviations | undefined
  /** Null if relevance is the model's alone. */
  readonly relevance: Relevance | null
  /** Null if the policy needs none. */
  readonly rewards: RewardModel | null
  readonly random: Random
}

interface DecisionParts extends RecommenderParts {
  readonly feedback: FeedbackKind
}

export class Decisions {
  readonly #parts: DecisionParts
  readonly #userEmbeddingOf: (user: UserState) => Float32Array
  readonly #uncertaintyNow: ReturnType<typeof cacheUncertainty>
  readonly #distinct = createDistinct()

  constructor(parts: DecisionParts) {
    const { model, state, uncertainty, deviations } = parts
    this.#parts = parts
    this.#userEmbeddingOf = createUserEmbeddings(model)
    this.#uncertaintyNow = cacheUncertainty(uncertainty, deviations, state, model)
  }

  /** Returns the decision, which excludes pinned items, and the pins that apply. */
  decide(request: RecommendRequest, requestNumber: number) {
    const { model, state, random, feedback } = this.#parts
    const { catalog } = state
    const user = this.#userOf(request.user)
    const { boosts, ...requested } = requestedRows(request, catalog)
    const candidates = candidateRows(requested.candidates, request.among, catalog)
    const seen = seenRows(user, request.excludeSeen)
    const isBarred = (row: ItemIndex) =>
      catalog.removed.has(row) || requested.excluded.includes(row) || seen.includes(row)
    const pins = requested.pins.filter(({ row }) => !isBarred(row))
    const pinnedRows = pins.map(({ row }) => row)
    const uncertainty = this.#uncertaintyNow()
    const named = requested.candidates && [...requested.candidates, ...pinnedRows]
    const decision: Decision = {
      items: model.itemEmbeddings,
      itemsVersion: model.version,
      ...this.#relevanceTo(user, named),
      visited: user.history.column('items'),
      rewards: user.history.column('rewards'),
      reported: () => reportedItems(user, feedback === 'ranking'),
      userKey: user.history,
      uncertainty: uncertainty.values,
      uncertaintyVersion: uncertainty.version,
      impressions: state.impressions,
      interactions: state.interactions,
      candidates,
      excluded: this.#excludedRows(
        seen,
        [...requested.excluded, ...pinnedRows],
        candidates !== null,
      ),
      boosts,
      rewardEvidence: this.#parts.rewards?.evidenceOf(user.pairs, user.slates),
      random: random.fork(request.user).fork(String(requestNumber)),
    }
    return { decision, pins }
  }

  /** θ of a user now. */
  userEmbedding(name: string): Float32Array {
    return this.#userEmbeddingOf(this.#userOf(name))
  }

  /** ‖σ_k‖∞ of every item now; read-only. */
  uncertainty(): Float32Array {
    return this.#uncertaintyNow().values
  }

  #userOf(name: string): UserState {
    return this.#parts.state.users.get(name) ?? unknownUser
  }

  /** θ and offsets, so that relevance = μᵀθ + offsets. */
  #relevanceTo(
    user: UserState,
    candidates: readonly ItemIndex[] | null,
  ): Pick<Decision, 'userEmbedding' | 'offsets' | 'coldness'> {
    const { model, relevance } = this.#parts
    if (relevance === null) {
      const bias = model.itemBias?.values
      return { userEmbedding: this.#userEmbeddingOf(user), ...(bias && { offsets: bias }) }
    }
    const { model: weight } = relevance.servedTo(user)
    const offsets = relevance.offsets(user, candidates)
    const coldness = candidates === null ? relevance.coldness : 0
    // Computing θ costs more than a slate, so skip it if the model has no weight.
    if (weight === 0) return { userEmbedding: new Float32Array(model.dimension), offsets, coldness }
    return { userEmbedding: scaled(this.#userEmbeddingOf(user), weight), offsets, coldness }
  }

  /**
   * Returns each excluded row once. Candidates contain no removed items, but the whole catalog
   * does.
   */
  #excludedRows(seen: Int32Array, more: readonly ItemIndex[], hasCandidates: boolean): Int32Array {
    const { catalog } = this.#parts.state
    const removed = hasCandidates ? noRows : catalog.removedRows
    if (seen.length + more.length === 0) return removed
    return this.#distinct([removed, seen, more], catalog.names.length)
  }
}

/**
 * Returns the rows of the items that a request names, including removed ones. Throws for unknown
 * names.
 */
function requestedRows(request: RecommendRequest, catalog: CatalogView) {
  const { candidates, exclude = [], boost = {}, pin = [] } = request
  const unknown = new Map<unknown, string>()
  const rowOf = (name: string, field: string, key: string | number): ItemIndex => {
    const row = catalog.find(name)
    if (row === undefined && !unknown.has(name)) unknown.set(name, formatPath([field, key]))
    return row ?? -1
  }
  const boosts = Object.entries(boost).filter(([, value]) => value !== 0)
  const rows = {
    /** Null for the whole catalog. */
    candidates: candidates
      ? Int32Array.from(candidates, (name, i) => rowOf(name, 'candidates', i))
      : null,
    excluded: exclude.map((name, i) => rowOf(name, 'exclude', i)),
    /** Undefined if the request changes no score. */
    boosts:
      boosts.length > 0
        ? new Map(boosts.map(([name, by]) => [rowOf(name, 'boost', name), by]))
        : undefined,
    pins: pin.map(({ item, slot }, i) => ({ row: rowOf(item, 'pin', i), slot })),
  }
  if (unknown.size > 0) throw unknownItems(unknown)
  return rows
}

const maxNamed = 10

/** @param unknown The path of each name. */
function unknownItems(unknown: ReadonlyMap<unknown, string>): RenError {
  const names = [...unknown.keys()]
  const [path] = unknown.values()
  const named = names.slice(0, maxNamed).map(describeValue).join(', ')
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  return new RenError(
    'unknown-item',
    names.length === 1 ? `no item is called ${named}` : `no items are called ${named}${more}`,
    { path: path! },
  )
}

/** Returns the candidates without removed items; null for the whole catalog. */
function candidateRows(
  named: Int32Array | null,
  among: Int32Array | undefined,
  { removed }: CatalogView,
): Int32Array | null {
  const rows = named ?? among
  if (rows === undefined) return null
  const both = named !== null && among !== undefined ? new Set(among) : null
  if (both === null && removed.size === 0) return rows
  return rows.filter((row) => !removed.has(row) && (both === null || both.has(row)))
}

/** Returns weight·θ, or zeros if a value is not finite: NaN would make every score NaN. */
function scaled(theta: Float32Array, weight: number): Float32Array {
  const out = new Float32Array(theta.length)
  for (let i = 0; i < out.length; i++) {
    if (!Number.isFinite(theta[i])) return out.fill(0)
    out[i] = weight * theta[i]!
  }
  return out
}

/**
 * Joins lists of rows, each row once. It reuses marks: a set of a long history costs more than a
 * decision.
 */
function createDistinct() {
  let marks = new Uint8Array(0)
  return (lists: readonly ArrayLike<ItemIndex>[], itemCount: number): Int32Array => {
    if (marks.length < itemCount) marks = new Uint8Array(2 * itemCount)
    const rows = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0))
    let count = 0
    for (const list of lists) {
      for (let i = 0; i < list.length; i++) {
        const row = list[i]!
        if (marks[row] === 0) rows[count++] = row
        marks[row] = 1
      }
    }
    for (let i = 0; i < count; i++) marks[rows[i]!] = 0
    return rows.subarray(0, count)
  }
}

export function chooseSlate(
  policy: ExplorationPolicy,
  { decision, pins }: ReturnType<Decisions['decide']>,
  { count, exploration }: Pick<RecommendRequest, 'count' | 'exploration'>,
): Pick<Slate, 'complete' | 'weights'> & { readonly items: readonly PlacedItem[] } {
  requireSupported(policy, decision, exploration)
  const left = count - pins.length
  const { items, complete, weights } =
    left > 0 ? policy.choose(decision, left, exploration) : nothingLeft
  if (pins.length === 0) return { items, complete, ...(weights && { weights }) }
  const rows = Int32Array.from(pins, ({ row }) => row)
  const explained = explain(policy, decision, rows, exploration)
  const slateWeights = weights ?? explained.weights
  return {
    items: placePins(items, explained.items, pins),
    complete,
    ...(slateWeights && { weights: slateWeights }),
  }
}

const nothingLeft: Slate = { items: [], complete: true }

/** Throws if the request has settings that the policy would ignore. */
function requireSupported(
  { name, supportsBoosts, supportsOverrides }: ExplorationPolicy,
  { boosts }: Decision,
  exploration: RecommendRequest['exploration'],
): void {
  if (boosts !== undefined && supportsBoosts !== true) {
    throw invalidAt('boost', `must be absent for ${name}: its scores are not independent`)
  }
  if (exploration !== undefined && supportsOverrides !== true) {
    throw invalidAt('exploration', `must be absent for ${name}, which has no settings per request`)
  }
}

/**
 * Returns the score terms of some items. It uses a separate random stream, so the slate stays the
 * same.
 */
function explain(
  policy: ExplorationPolicy,
  decision: Decision,
  rows: Int32Array,
  exploration: RecommendRequest['exploration'],
): Explanation {
  const apart = { ...decision, boosts: undefined, random: decision.random.fork('explain') }
  if (policy.explain) return policy.explain(apart, rows, exploration)
  const only = { ...apart, candidates: rows, excluded: noRows }
  return policy.choose(only, rows.length, exploration)
}

/** A pick of the policy, or a pinned item. */
export type PlacedItem = ScoredItem & { readonly pinned?: true }

/**
 * Inserts the pinned items in their slots. If there are too few picks, later pinned items move up.
 */
function placePins(
  picks: readonly ScoredItem[],
  explained: readonly ScoredItem[],
  pins: ReturnType<Decisions['decide']>['pins'],
): PlacedItem[] {
  const placed: PlacedItem[] = [...picks]
  for (const { row, slot } of pins.toSorted((a, b) => a.slot - b.slot)) {
    const pinned = explained.find(({ item }) => item === row)!
    // The request fixed the item, so its propensity is 1.
    const propensity = 'propensity' in pinned && { propensity: 1 }
    placed.splice(slot - 1, 0, { ...pinned, ...propensity, pinned: true })
  }
  return placed
}

type OnlineState = NonNullable<ReturnType<SequenceModel['openState']>>

interface CachedEmbedding {
  readonly version: number
  /** The number of interactions, including dropped ones: an equal number means an equal history. */
  readonly count: number
  readonly online: OnlineState | null
  readonly theta: Float32Array
}

/**
 * Caches θ of each user until the history or the weights change. In a recurrent model, another
 * interaction costs one step while the whole history fits the model's window. Any other change
 * reads the history again, because steps that left the window cannot be undone.
 */
export function createUserEmbeddings(model: SequenceModel) {
  // The key is the history, so an entry is freed with its user.
  const cache = new WeakMap<UserState['history'], CachedEmbedding>()

  function follow({ history }: UserState, last: CachedEmbedding | undefined): OnlineState | null {
    if (history.length > model.architecture.window || history.dropped > 0) return null
    const opened = last?.online ?? model.openState(historyOf(unknownUser))
    const { items, rewards, times } = history.columns(last?.online ? last.count : 0)
    for (const [i, item] of items.entries()) opened?.advance(item, rewards[i]!, times[i]!)
    return opened
  }

  /** Returns θ_t (d values); read-only. */
  return (user: UserState): Float32Array => {
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

/** Caches ‖σ_k‖∞ of every item. Only items whose value may have changed are estimated again. */
export function cacheUncertainty(
  estimator: UncertaintyEstimator,
  deviations: ItemDeviations | undefined,
  state: State,
  model: SequenceModel,
) {
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

  /**
   * Returns the values, read-only and valid until the next call, and their version, which changes
   * whenever values were estimated again.
   */
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
    const { impressions, interactions } = state
    // They cost a pass over the whole table. Estimators that count do not read them.
    const learned = !isCounted && deviations && { deviations: deviations.deviations() }
    const evidence = { impressions, interactions, ...learned }
    estimator.estimate(evidence, values, hasMoved ? undefined : recounted)
    estimated = now
    return { values, version }
  }
}
