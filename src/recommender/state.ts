// The state of a recommender: everything except its weights, computed from its events in order.

import type {
  ErasedEvent,
  ImpressionsEvent,
  InteractionEvent,
  ItemsPutEvent,
  RecommendationEvent,
  UsersMergedEvent,
} from '../core/events.ts'
import type { CountChange, ItemIndex } from '../core/types.ts'
import { requirePositiveInteger } from '../exploration/requirements.ts'
import { Catalog, newItemBatches, type CatalogView } from './catalog.ts'
import { InteractionTally, type Evidence, type RepeatCounts } from './evidence.ts'
import type { RewardModel } from '../exploration/reward-model.ts'
import { reportInteraction, reportSeen, reportSlate } from './reward-events.ts'
import { mergedUser } from './merge-users.ts'
import type { Columns } from './packed-list.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { requireEvent, requireEventNumber, requireObject } from './requirements.ts'
import {
  addInteraction,
  addSlate,
  recordReward,
  createUserMemory,
  dislikedRows,
  droppedKinds,
  wasSeen,
  joinDropped,
  findSlate,
  newUser,
  releaseUser,
  setSeen,
} from './user-state.ts'
import type { DroppedLayout, MutableUser, UserMemory, UserState } from './user-state.ts'

/** The state of a recommender after its events: catalog, users and counts. */
export interface StateContents {
  /** The names of all items in order of rows, and which of them are removed. */
  readonly catalog: CatalogView
  /** The history and the slates of each user, by name. */
  readonly users: ReadonlyMap<string, UserState>
  /** n_k: how often each item was shown, over all users; exact up to 2²⁴. */
  readonly impressions: Float32Array
  /** How often users chose each item with a reward above 0, over all users. */
  readonly interactions: Float32Array
  /** Sums of `impressions` and `interactions` over all items, including trimmed data. */
  readonly totals: Readonly<Record<'impressions' | 'interactions', number>>
  /** How often the users who are not erased interact with an item again. */
  readonly repeats: RepeatCounts
  /**
   * Interactions by day, in days since 1970, over all users; the oldest of many days are dropped.
   */
  readonly days: ReadonlyMap<number, number>
  /** The number of the last event: its position in a log, or a running count. */
  readonly events: number
}

/** The data that a state starts from, and owns. All but the catalog defaults to none. */
interface OwnContents extends Partial<Omit<StateContents, 'catalog' | 'repeats' | 'totals'>> {
  readonly catalog: Catalog
  readonly users?: Map<string, MutableUser>
  readonly days?: Map<number, number>
  readonly memory?: UserMemory
}

/** Creates the state before the first event. */
export const emptyState = (itemNames: readonly string[], maxPerUser?: MaxPerUser): State =>
  new State({ catalog: new Catalog(itemNames) }, maxPerUser)

/** A state that events change. Readers use it as `StateContents`. */
export class State implements StateContents {
  readonly catalog: Catalog
  readonly users: Map<string, MutableUser>
  readonly totals: { impressions: number; interactions: number }
  readonly repeats: RepeatCounts
  readonly days: ReadonlyMap<number, number>
  impressions: Float32Array
  interactions: Float32Array
  events: number
  readonly #memory: UserMemory
  readonly #maxPerUser: MaxPerUser
  readonly #tally: InteractionTally
  readonly #recounted = new Set<ItemIndex>()
  readonly #interacted = new Set<ItemIndex>()
  #watcher: Evidence | null = null
  #rewards: RewardModel | null = null

  constructor(contents: OwnContents, maxPerUser: MaxPerUser = {}) {
    const {
      catalog,
      users = new Map<string, MutableUser>(),
      memory = createUserMemory(),
    } = contents
    const { length } = catalog.names
    const { impressions = new Float32Array(length), interactions = new Float32Array(length) } =
      contents
    this.catalog = catalog
    this.users = users
    this.totals = { impressions: sumOf(impressions), interactions: sumOf(interactions) }
    this.#memory = memory
    this.#maxPerUser = maxPerUser
    this.#tally = new InteractionTally(users.values(), contents.days)
    this.repeats = this.#tally.repeats
    this.days = this.#tally.days
    this.impressions = impressions
    this.interactions = interactions
    this.events = contents.events ?? 0
  }

  /**
   * Returns the items that were shown, or whose n_k changed, since the last call; each once.
   *
   * @param includeInteracted Whether items whose interactions changed count too. Defaults to false.
   */
  takeRecounted(includeInteracted = false): Int32Array {
    const rows = Int32Array.from(
      includeInteracted ? this.#recounted.union(this.#interacted) : this.#recounted,
    )
    this.#recounted.clear()
    this.#interacted.clear()
    return rows
  }

  /**
   * Adds all users to the watcher, and reports every later change to it. There is one watcher at a
   * time.
   */
  watch(watcher: Evidence): void {
    this.#watcher = watcher
    for (const user of this.users.values()) watcher.add(user)
  }

  /**
   * Reports every later event to the reward model.
   *
   * @param continues Whether the memories of the users belong to it. Otherwise they are dropped.
   */
  teach(rewards: RewardModel | null, continues: boolean): void {
    this.#rewards = rewards
    if (!continues) for (const user of this.users.values()) user.pairs = null
  }

  /**
   * Applies an event. An event that is refused changes nothing.
   *
   * @param number Defaults to the next number. Several events may share one.
   */
  apply(event: ObservedEvent, number = this.events + 1): void {
    requireEvent(event, this.catalog)
    requireEventNumber(number, this.events)
    this.applyChecked(event, number)
  }

  /** Applies an event that `requireEvent` and `requireEventNumber` have accepted. */
  applyChecked(event: ObservedEvent, number: number): void {
    this.events = number
    switch (event.kind) {
      case 'recommendation':
        return this.#show(event)
      case 'interaction':
        return this.#interact(event)
      case 'impressions':
        return this.#confirm(event)
      case 'items-put':
        return this.#addItems(event)
      case 'items-removed':
        return this.catalog.remove(event.items)
      case 'users-merged':
        return this.#merge(event)
      case 'user-joined':
        return this.#join(event.user, event.other)
      case 'user-erased':
        return this.#erase(event.user!)
      case 'erased':
        return this.#changeCounts(event)
      default:
        event satisfies never
    }
  }

  #show(event: RecommendationEvent): void {
    const { items, counted = true } = event
    const user = this.#userOf(event.user)
    const rows = Int32Array.from(items, ({ item }) => this.catalog.row(item))
    if (this.#rewards) reportSlate(this.#rewards, user, event, rows)
    addSlate(user, event, rows)
    for (const row of rows) this.#countImpression(row, Number(counted))
    if (items.some(({ reward }) => reward !== undefined)) user.lastRewarded = this.events
    this.#watcher?.shown(user, rows.length)
    this.#trim(user)
  }

  #interact(event: InteractionEvent): void {
    const { user: name, item, reward, time, recommendationId, teaches = true } = event
    const user = this.#userOf(name)
    const row = this.catalog.row(item)
    if (teaches && this.#rewards) reportInteraction(this.#rewards, user, row, event)
    const answered = teaches ? recordReward(user, row, reward, recommendationId) : null
    if (answered !== null) this.#watcher?.answered(answered)
    if (teaches) user.lastRewarded = this.events
    if (reward > 0) {
      this.interactions[row]! += 1
      this.totals.interactions += 1
      this.#interacted.add(row)
      this.#tally.add(user, row, time, recommendationId)
      addInteraction(
        user,
        row,
        reward,
        time,
        answered !== null || isInNamedSlate(user, recommendationId, row),
      )
      this.#watcher?.interacted(user)
    }
    this.#trim(user)
  }

  #confirm({ user: name, recommendationId, items }: ImpressionsEvent): void {
    const user = this.users.get(name)
    const names = new Set(items)
    const isSeen = (row: number) => names.has(this.catalog.names[row]!)
    const changes = user ? setSeen(user, recommendationId, isSeen) : []
    for (const { item, change } of changes) this.#countImpression(item, change)
    this.#watcher?.confirmed(changes)
    const seen = changes.filter(({ change, isChosen }) => change > 0 && !isChosen)
    if (user && this.#rewards)
      reportSeen(
        this.#rewards,
        user,
        seen.map(({ item }) => item),
      )
    const teaches = changes.some((one) => one.teaches && one.change > 0)
    if (user && teaches) user.lastRewarded = this.events
  }

  #join(name: string, other: UserState): void {
    const own = this.#userOf(name)
    if (other === own) return
    const user = mergedUser(own, other, this.#memory)
    this.#watcher?.add(own, -1)
    releaseUser(own)
    this.#tally.addUser(other)
    // The model may not have learned from any event of the other user.
    if (other.lastRewarded > 0) user.lastRewarded = this.events
    trim(user, this.#maxPerUser, this.#memory)
    this.users.set(name, user)
    this.#watcher?.add(user)
  }

  #erase(name: string): void {
    const user = this.users.get(name)
    if (user === undefined) return
    this.#tally.addUser(user, -1)
    this.#watcher?.add(user, -1)
    releaseUser(user)
    this.users.delete(name)
  }

  #merge({ user, from }: UsersMergedEvent): void {
    const other = this.users.get(from)
    if (other === undefined || user === from) return
    this.#join(user, other)
    this.#erase(from)
  }

  #changeCounts(event: ErasedEvent): void {
    this.#change(this.impressions, event.impressions)
    this.#change(this.interactions, event.interactions)
    this.totals.impressions = sumOf(this.impressions)
    this.totals.interactions = sumOf(this.interactions)
    if (event.day !== undefined) this.#tally.addDay(event.day)
  }

  #change(counts: Float32Array, changes: readonly CountChange[]): void {
    for (const [name, by] of changes) {
      const row = this.catalog.row(name)
      counts[row] = Math.max(0, counts[row]! + by)
      this.#recounted.add(row)
    }
  }

  #addItems({ items }: ItemsPutEvent): void {
    const { catalog } = this
    const before = catalog.names.length
    for (const batch of newItemBatches(items, catalog)) catalog.add(batch.map(({ item }) => item))
    this.impressions = grown(this.impressions, catalog.names.length)
    this.interactions = grown(this.interactions, catalog.names.length)
    this.#rewards?.addItems(catalog.names.length - before)
  }

  #countImpression(row: ItemIndex, change: number): void {
    this.impressions[row]! += change
    this.totals.impressions += change
    this.#recounted.add(row)
  }

  #userOf(name: string): MutableUser {
    const existing = this.users.get(name)
    if (existing !== undefined) return existing
    const user = newUser(this.#memory)
    this.users.set(name, user)
    return user
  }

  /** Trims a user, and updates the sums of the watcher. */
  #trim(user: MutableUser): void {
    if (!exceeds(user, this.#maxPerUser)) return
    this.#watcher?.add(user, -1)
    trim(user, this.#maxPerUser, this.#memory)
    this.#watcher?.add(user)
  }
}

/** Whether an interaction names a slate that contains the item, which it may have answered before. */
const isInNamedSlate = (
  user: UserState,
  recommendationId: string | undefined,
  item: ItemIndex,
): boolean =>
  recommendationId !== undefined && findSlate(user, recommendationId)?.items.includes(item) === true

const sumOf = (counts: Float32Array): number => counts.reduce((sum, count) => sum + count, 0)

/** Computes the state after a sequence of events. */
export function foldEvents(
  itemNames: readonly string[],
  events: Iterable<ObservedEvent>,
  maxPerUser: MaxPerUser = {},
): State {
  const state = emptyState(itemNames, maxPerUser)
  for (const event of events) state.apply(event)
  return state
}

/** Grows an array. It doubles the buffer, so that adding items one by one copies rarely. */
function grown(counts: Float32Array, length: number): Float32Array {
  const { buffer, byteOffset, BYTES_PER_ELEMENT } = counts
  if (byteOffset + length * BYTES_PER_ELEMENT <= buffer.byteLength) {
    return new Float32Array(buffer, byteOffset, length)
  }
  const more = new Float32Array(2 * length)
  more.set(counts)
  return more.subarray(0, length)
}

/** Limits of the data that a recommender retains per user. Each defaults to no limit. */
export interface MaxPerUser {
  /** Maximum number of interactions. Defaults to no limit. */
  readonly history?: number
  /** Maximum number of items that were shown or chosen. Defaults to no limit. */
  readonly impressions?: number
}

export function requireMaxPerUser(maxPerUser: MaxPerUser = {}): MaxPerUser {
  requireObject('maxPerUser', maxPerUser)
  for (const [name, most] of Object.entries(maxPerUser)) {
    if (most !== Infinity) requirePositiveInteger(`maxPerUser.${name}`, most)
  }
  return maxPerUser
}

/** Whether `trim` would drop anything. */
export function exceeds(
  { history, impressions, recentSlates }: MutableUser,
  maxPerUser: MaxPerUser,
): boolean {
  const { history: maxHistory = Infinity, impressions: maxImpressions = Infinity } = maxPerUser
  return (
    history.excess(maxHistory) > 0 ||
    impressions.excess(maxImpressions) > 0 ||
    recentSlates.excess(maxImpressions) > 0
  )
}

/** Drops the oldest entries beyond `maxPerUser`. `droppedItems` retains their items. */
export function trim(user: MutableUser, maxPerUser: MaxPerUser, memory: UserMemory): void {
  const { history, impressions, recentSlates } = user
  const { history: maxInteractions = Infinity, impressions: maxImpressions = Infinity } = maxPerUser
  const old = history.excess(maxInteractions)
  if (old > 0) [user.timeBefore = null] = history.columns(old - 1, old).times
  const shown = impressions.excess(maxImpressions)
  if (old > 0 || shown > 0) rememberDropped(user, old, shown, memory)
  history.dropFirst(old)
  impressions.dropFirst(shown)
  const slates = shown > 0 ? droppedSlates(user) : 0
  recentSlates.dropFirst(Math.max(slates, recentSlates.excess(maxImpressions)))
}

/**
 * Adds the items of the first `old` interactions, and the counted and disliked ones of the first
 * `shown` impressions.
 */
function rememberDropped(user: MutableUser, old: number, shown: number, memory: UserMemory): void {
  const { items, flags } = user.impressions.columns(0, shown)
  const before = user.droppedItems
  user.droppedItems = joinDropped(memory.droppedItems, [
    before?.columns(),
    ofKind(user.history.column('items', 0, old), 'interaction'),
    ofKind(
      items.filter((_, i) => wasSeen(flags[i]!)),
      'shown',
    ),
    ofKind(Int32Array.from(dislikedRows(user, shown)), 'disliked'),
  ])
  before?.release()
}

const ofKind = (items: Int32Array, kind: keyof typeof droppedKinds): Columns<DroppedLayout> => ({
  items,
  kinds: new Uint8Array(items.length).fill(droppedKinds[kind]),
})

/** The number of slates at the start whose impressions were all dropped. */
function droppedSlates({ impressions, recentSlates }: UserState): number {
  const { from, counts } = recentSlates.columns()
  const firstRetained = from.findIndex((place, at) => place + counts[at]! > impressions.dropped)
  return firstRetained < 0 ? from.length : firstRetained
}
