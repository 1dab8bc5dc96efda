// All that a recommender knows but its weights, as a fold over events.

import type {
  ErasedEvent,
  ImpressionsEvent,
  InteractionEvent,
  ItemsPutEvent,
  RecommendationEvent,
  UsersMergedEvent,
} from '../core/events.ts'
import type { CountChange, ItemIndex } from '../core/types.ts'
import { createCatalog } from './catalog.ts'
import type { Catalog, CatalogView } from './catalog.ts'
import { newItemBatches, requireEvent, requireEventNumber } from './events.ts'
import type { ObservedEvent, UserJoined } from './events.ts'
import type { UserWatcher } from './evidence.ts'
import { createInteractionTally } from './interaction-tally.ts'
import type { RepeatCounts } from './interaction-tally.ts'
import { mergedUser } from './merge-users.ts'
import { exceeds, trim } from './seen-items.ts'
import type { MaxPerUser } from './seen-items.ts'
import {
  addInteraction,
  addSlate,
  addTake,
  createUserMemory,
  newUser,
  releaseUser,
  setSeen,
} from './user-state.ts'
import type { AnsweredSlot, MutableUser, UserMemory, UserState } from './user-state.ts'

/** The state of a recommender after its events: catalog, users and counts. */
export interface StateContents {
  readonly catalog: CatalogView
  readonly users: ReadonlyMap<string, UserState>
  /** n_k: how often each item was shown, over all users; exact up to 2²⁴. */
  readonly impressions: Float32Array
  /** How often each item was taken with a reward above 0, over all users. */
  readonly takes: Float32Array
  /** Σ over items of `impressions` and of `takes`: what was trimmed counts too. */
  readonly totals: Readonly<Record<'impressions' | 'takes', number>>
  /** How often the users who are not erased interact with an item again. */
  readonly repeats: RepeatCounts
  /** Interactions by day, in days since 1970, over all users; the oldest of many days are dropped. */
  readonly days: ReadonlyMap<number, number>
  /** The number of the last event: how many there were, unless they were numbered otherwise. */
  readonly events: number
}

/** A state that events change. */
export interface State extends StateContents {
  /**
   * Takes in one event; one that is refused changes nothing. Its number is the next one unless
   * given; several may share one, where they stand for one thing that happened.
   */
  apply(event: ObservedEvent, number?: number): void
  /**
   * Items that were shown, or whose n_k changed, since this was last called; each once. With
   * `andTaken` also those that were taken, or whose takes changed.
   */
  takeRecounted(andTaken?: boolean): Int32Array
  /** From here on the watcher follows every change of a user or a count; one at a time. */
  watch(watcher: UserWatcher): void
}

/** What a state is made of. */
export interface OwnContents extends Omit<StateContents, 'repeats' | 'totals'> {
  readonly catalog: Catalog
  readonly users: Map<string, MutableUser>
  readonly days: Map<number, number>
  /** Where the users are. */
  readonly memory: UserMemory
}

/** Before the first event. */
export function emptyState(itemNames: readonly string[], maxPerUser: MaxPerUser = {}): State {
  const counts = () => new Float32Array(itemNames.length)
  const catalog = createCatalog(itemNames)
  const users = new Map<string, MutableUser>()
  return createState(
    {
      catalog,
      users,
      memory: createUserMemory(),
      impressions: counts(),
      takes: counts(),
      days: new Map(),
      events: 0,
    },
    maxPerUser,
  )
}

/** Goes on from `contents`, which become its own. */
export function createState(contents: OwnContents, maxPerUser: MaxPerUser = {}): State {
  const { catalog, users, memory } = contents
  let { impressions, takes, events } = contents
  const totals = { impressions: sumOf(impressions), takes: sumOf(takes) }
  const recounted = new Set<ItemIndex>()
  const retaken = new Set<ItemIndex>()
  const tally = createInteractionTally(users.values(), contents.days)
  let watcher: UserWatcher | null = null

  /** What a trim drops is taken out of what the watcher has counted. */
  function trimUser(user: MutableUser): void {
    if (watcher === null || !exceeds(user, maxPerUser)) return trim(user, maxPerUser, memory)
    watcher.remove(user)
    trim(user, maxPerUser, memory)
    watcher.add(user)
  }

  function userOf(name: string): MutableUser {
    const known = users.get(name)
    if (known !== undefined) return known
    const user = newUser(memory)
    users.set(name, user)
    return user
  }

  function countImpression(row: ItemIndex, change: number): void {
    impressions[row]! += change
    totals.impressions += change
    recounted.add(row)
  }

  function show(event: RecommendationEvent): void {
    const { user: name, items, time, recommendationId: id } = event
    const { counted = true, seenAllowed = false } = event
    const user = userOf(name)
    const rows = Int32Array.from(items, ({ item }) => catalog.row(item))
    addSlate(user, { rows, items, time, id, counted, seenAllowed })
    for (const row of rows) countImpression(row, Number(counted))
    if (items.some(({ reward }) => reward !== undefined)) user.lastRewarded = events
    watcher?.shown(user, rows.length)
    trimUser(user)
  }

  function interact(event: InteractionEvent): void {
    const { user: name, item, reward, time, recommendationId, teaches = true } = event
    const user = userOf(name)
    const row = catalog.row(item)
    let answered: AnsweredSlot | null = null
    if (teaches) {
      answered = addTake(user, row, reward, recommendationId)
      if (answered !== null) watcher?.answered(answered)
      user.lastRewarded = events
    }
    if (reward > 0) {
      takes[row]! += 1
      totals.takes += 1
      retaken.add(row)
      tally.add(user, row, time, recommendationId)
      addInteraction(user, row, reward, time, answered !== null)
      watcher?.interacted(user)
    }
    trimUser(user)
  }

  function see({ user: name, recommendationId, items }: ImpressionsEvent): void {
    const user = users.get(name)
    const names = new Set(items)
    const isSeen = (row: number) => names.has(catalog.names[row]!)
    const changes = user ? setSeen(user, recommendationId, isSeen) : []
    for (const { item, change } of changes) countImpression(item, change)
    watcher?.confirmed(changes)
    const teaches = changes.some((one) => one.teaches && one.change > 0)
    if (user && teaches) user.lastRewarded = events
  }

  function join({ user: name, other }: Pick<UserJoined, 'user' | 'other'>): void {
    const own = userOf(name)
    if (other === own) return
    const user = mergedUser(own, other, memory)
    watcher?.remove(own)
    releaseUser(own)
    tally.addUser(other)
    // To the weights of this state all that the other did may be new.
    if (other.lastRewarded > 0) user.lastRewarded = events
    trim(user, maxPerUser, memory)
    users.set(name, user)
    watcher?.add(user)
  }

  function erase(name: string): void {
    const user = users.get(name)
    if (user === undefined) return
    tally.removeUser(user)
    watcher?.remove(user)
    releaseUser(user)
    users.delete(name)
  }

  function merge({ user, from }: UsersMergedEvent): void {
    const other = users.get(from)
    if (other === undefined || user === from) return
    join({ user, other })
    erase(from)
  }

  function changeCounts(event: ErasedEvent): void {
    const change = (counts: Float32Array, changes: readonly CountChange[]) => {
      for (const [name, by] of changes) {
        const row = catalog.row(name)
        counts[row] = Math.max(0, counts[row]! + by)
        recounted.add(row)
      }
    }
    change(impressions, event.impressions)
    change(takes, event.interactions)
    totals.impressions = sumOf(impressions)
    totals.takes = sumOf(takes)
    if (event.day !== undefined) tally.addDay(event.day)
  }

  function addItems({ items }: ItemsPutEvent): void {
    for (const batch of newItemBatches(items, catalog)) catalog.add(batch.map(({ item }) => item))
    impressions = grown(impressions, catalog.names.length)
    takes = grown(takes, catalog.names.length)
  }

  return {
    catalog,
    users,
    get impressions() {
      return impressions
    },
    get takes() {
      return takes
    },
    totals,
    get repeats() {
      return tally.repeats
    },
    days: tally.days,
    get events() {
      return events
    },
    takeRecounted(andTaken = false) {
      const rows = Int32Array.from(andTaken ? recounted.union(retaken) : recounted)
      recounted.clear()
      retaken.clear()
      return rows
    },
    watch(next) {
      watcher = next
      for (const user of users.values()) next.add(user)
    },
    apply(event, number = events + 1) {
      requireEvent(event, catalog)
      requireEventNumber(number, events)
      events = number
      switch (event.kind) {
        case 'recommendation':
          return show(event)
        case 'interaction':
          return interact(event)
        case 'impressions':
          return see(event)
        case 'items-put':
          return addItems(event)
        case 'items-removed':
          return catalog.remove(event.items)
        case 'users-merged':
          return merge(event)
        case 'user-joined':
          return join(event)
        case 'user-erased':
          return erase(event.user!)
        case 'erased':
          return changeCounts(event)
        default:
          event satisfies never
      }
    },
  }
}

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

/** With room for as many again, so that items may come one by one. */
function grown(counts: Float32Array, length: number): Float32Array {
  const { buffer, byteOffset, BYTES_PER_ELEMENT } = counts
  if (byteOffset + length * BYTES_PER_ELEMENT <= buffer.byteLength) {
    return new Float32Array(buffer, byteOffset, length)
  }
  const more = new Float32Array(2 * length)
  more.set(counts)
  return more.subarray(0, length)
}
