// All that a recommender knows but its weights, as a fold over events.

import type { Interaction, ItemIndex } from '../core/types.ts'
import { createCatalogue } from './catalogue.ts'
import type { CatalogueView } from './catalogue.ts'
import { requireEvent } from './events.ts'
import type { RenEvent, Shown, Taken } from './events.ts'

/** An item that a user was shown or took, at a moment of its history. */
export interface Impression {
  /** How many interactions of the history came before: those that the choice was made from. */
  readonly after: number
  readonly item: ItemIndex
  /** Null while nobody has told. */
  readonly reward: number | null
  readonly taken: boolean
}

export interface UserState {
  /** D_t: what the user took with a reward above 0, in order. Models and A_t look at this. */
  readonly history: readonly Interaction[]
  /** Everything shown or taken, `after` never falling: what can be learnt from. */
  readonly impressions: readonly Impression[]
  /** How many slates were shown. */
  readonly slates: number
  /** Where the last slate begins in `impressions`. */
  readonly lastSlate: number
  /** The number of the event that last told a reward, counting from 1; 0 where none did. */
  readonly lastRewarded: number
}

export interface StateContents {
  readonly catalogue: CatalogueView
  readonly users: ReadonlyMap<string, UserState>
  /** n_k: how often each item was shown, over all users; exact up to 2²⁴. */
  readonly impressions: Float32Array
  /** How often each item was taken with a reward above 0, over all users. */
  readonly takes: Float32Array
  /** How many events there were. */
  readonly events: number
}

export interface State extends StateContents {
  /** Takes in one event; one that is refused changes nothing. */
  apply(event: RenEvent): void
}

/** Before the first event. */
export function emptyState(itemNames: readonly string[]): State {
  const counts = () => new Float32Array(itemNames.length)
  const catalogue = createCatalogue(itemNames)
  return createState({
    catalogue,
    users: new Map(),
    impressions: counts(),
    takes: counts(),
    events: 0,
  })
}

/** Goes on from `contents`, and leaves them as they are. */
export function createState(contents: StateContents): State {
  const catalogue = createCatalogue(contents.catalogue.names, contents.catalogue.removed)
  const users = new Map(Array.from(contents.users, ([name, user]) => [name, copyOf(user)]))
  let impressions = contents.impressions.slice()
  let takes = contents.takes.slice()
  let { events } = contents

  function userOf(name: string): MutableUser {
    const known = users.get(name)
    if (known !== undefined) return known
    const user = { history: [], impressions: [], slates: 0, lastSlate: 0, lastRewarded: 0 }
    users.set(name, user)
    return user
  }

  function show({ user: name, items, rewards }: Shown): void {
    const user = userOf(name)
    user.slates += 1
    user.lastSlate = user.impressions.length
    if (rewards !== undefined) user.lastRewarded = events
    const after = user.history.length
    for (const [slot, item] of items.entries()) {
      const row = catalogue.row(item)
      impressions[row]! += 1
      user.impressions.push({ after, item: row, reward: rewards?.[slot] ?? null, taken: false })
    }
  }

  // An item of the user's last slate was taken from there, so the choice was made at its moment.
  function take({ user: name, item, reward, time, teaches = true }: Taken): void {
    const user = userOf(name)
    const row = catalogue.row(item)
    if (teaches) {
      const place = placeInLastSlate(user, row)
      const after = user.impressions[place]?.after ?? user.history.length
      user.impressions[place] = { after, item: row, reward, taken: true }
      user.lastRewarded = events
    }
    if (reward <= 0) return
    takes[row]! += 1
    // Events count in the order in which they came; one that was late gets the time before it.
    const before = user.history.at(-1)?.time ?? time
    user.history.push({ item: row, reward, time: Math.max(time, before) })
  }

  return {
    catalogue,
    users,
    get impressions() {
      return impressions
    },
    get takes() {
      return takes
    },
    get events() {
      return events
    },
    apply(event) {
      requireEvent(event, catalogue)
      events += 1
      switch (event.kind) {
        case 'shown':
          show(event)
          break
        case 'taken':
          take(event)
          break
        case 'items-added':
          catalogue.add(event.names)
          impressions = grown(impressions, catalogue.names.length)
          takes = grown(takes, catalogue.names.length)
          break
        case 'items-removed':
          catalogue.remove(event.names)
          break
        case 'user-forgotten':
          users.delete(event.user)
          break
        default:
          event satisfies never
      }
    },
  }
}

/** The state after all of these events. */
export function foldEvents(itemNames: readonly string[], events: Iterable<RenEvent>): State {
  const state = emptyState(itemNames)
  for (const event of events) state.apply(event)
  return state
}

interface MutableUser extends UserState {
  readonly history: Interaction[]
  readonly impressions: Impression[]
  slates: number
  lastSlate: number
  lastRewarded: number
}

function copyOf(user: UserState): MutableUser {
  return { ...user, history: [...user.history], impressions: [...user.impressions] }
}

/** Where an item stands in the last slate, not taken from it yet; the end where it does not. */
function placeInLastSlate({ impressions, lastSlate }: UserState, row: ItemIndex): number {
  for (let place = lastSlate; place < impressions.length; place++) {
    const { item, taken } = impressions[place]!
    if (item === row && !taken) return place
  }
  return impressions.length
}

function grown(counts: Float32Array, length: number): Float32Array<ArrayBuffer> {
  const more = new Float32Array(length)
  more.set(counts)
  return more
}
