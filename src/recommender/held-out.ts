// Held-out interactions: a training run does not learn from them, and is judged on them.

import { invalid } from '../core/errors.ts'
import type { TestSequence } from '../core/log.ts'
import { createRandom, type Random } from '../core/random.ts'
import { rankOf } from '../core/rank.ts'
import { sliceHistory } from '../models/batch.ts'
import { createCatalogScorer } from '../models/index.ts'
import type { History, LeftItems, Observation, SequenceModel } from '../models/index.ts'
import type { Quality } from '../relevance/index.ts'
import { areRepeatsRare } from './evidence.ts'
import { leftItems } from './training-examples.ts'
import type { UserState } from './user-state.ts'

export interface HeldOut {
  /** Histories to learn from. Those of held-out users end before their latest interaction. */
  readonly training: readonly History[]
  /** Whole histories of held-out users. The last interaction of each is the target. */
  readonly tests: readonly TestSequence[]
  /** Whether items of the history are excluded from the ranking. */
  readonly excludeHistory: boolean
}

interface HoldOutOptions {
  /** One number per user: the users with the smallest are held out. Defaults to random numbers. */
  readonly keys?: Float64Array
  readonly random: Random
  readonly excludeHistory?: boolean
}

/** More users would make validation slower, but hardly more precise. */
const maxHeldOut = 2000

/** Holds out the latest interaction of at most half of the users who have two. */
export function holdOutLatest(sequences: readonly History[], options: HoldOutOptions): HeldOut {
  const { random, excludeHistory = isChosenOnce(sequences) } = options
  const draws = random.fork('held out')
  const keys = options.keys ?? Float64Array.from(sequences, () => draws.uniform())
  const eligible = Array.from(sequences.keys()).filter((user) => sequences[user]!.items.length > 1)
  const count = Math.min(maxHeldOut, Math.floor(eligible.length / 2))
  if (count === 0) {
    throw invalid(
      `full training needs at least two users with two interactions each, got ${eligible.length}`,
    )
  }
  const chosen = new Set(eligible.toSorted((a, b) => keys[a]! - keys[b]!).slice(0, count))
  const training = sequences.map((history, user) =>
    chosen.has(user) ? sliceHistory(history, 0, history.items.length - 1) : history,
  )
  const tests = Array.from(chosen, (user): TestSequence => {
    const history = sequences[user]!
    return { ...history, user, firstTarget: history.items.length - 1 }
  })
  return { training, tests, excludeHistory }
}

/** Whether users hardly ever choose an item again. */
function isChosenOnce(sequences: readonly History[]): boolean {
  let [repeats, total] = [0, 0]
  for (const { items } of sequences) {
    repeats += items.length - new Set(items).size
    total += Math.max(0, items.length - 1)
  }
  return areRepeatsRare(repeats, total)
}

/** Counts interactions per item. */
export function supportOf(sequences: readonly History[], itemCount: number): Float64Array {
  const support = new Float64Array(itemCount)
  for (const { items } of sequences) for (const item of items) support[item]! += 1
  return support
}

/** The histories of many users in a few arrays, to transfer to another thread without a copy. */
export interface PackedHistories {
  /** The index of each user's first interaction, followed by the number of interactions. */
  readonly offsets: Int32Array<ArrayBuffer>
  readonly items: Int32Array<ArrayBuffer>
  readonly rewards: Float32Array<ArrayBuffer>
  /** Null if the model does not read times, which would be half of the memory. */
  readonly times: Float64Array<ArrayBuffer> | null
  /** One number from 0 to 1 per user, which depends only on the name. */
  readonly keys: Float64Array<ArrayBuffer>
  /** What users were shown and left; null if there is nothing. */
  readonly left: PackedLeftItems | null
}

/** The `left` of all users' histories. */
interface PackedLeftItems {
  /** The index of each user's first item, followed by the number of items. */
  readonly offsets: Int32Array<ArrayBuffer>
  readonly after: Int32Array<ArrayBuffer>
  readonly items: Int32Array<ArrayBuffer>
}

interface PackOptions {
  /** Packs only the first items of the catalog. */
  readonly itemCount: number
  readonly withTimes: boolean
  /**
   * In slates up to this time, items without feedback count as left; −∞ for answered slates only.
   * Absent to pack no left items.
   */
  readonly settledBy?: number
}

/** Packs all users' interactions, and the items that the users left before them. */
export function packHistories(
  users: ReadonlyMap<string, UserState>,
  { itemCount, withTimes, settledBy }: PackOptions,
): PackedHistories {
  let total = 0
  for (const { history } of users.values()) total += history.length
  const items = new Int32Array(total)
  const rewards = new Float32Array(total)
  const times = withTimes ? new Float64Array(total) : null
  const offsets = new Int32Array(users.size + 1)
  const keys = new Float64Array(users.size)
  const names = createRandom('held out')
  let [user, at] = [0, 0]
  for (const [name, { history }] of users) {
    const columns = history.columns()
    for (let i = 0; i < columns.items.length; i++) {
      if (columns.items[i]! >= itemCount) continue
      items[at] = columns.items[i]!
      rewards[at] = columns.rewards[i]!
      if (times !== null) times[at] = columns.times[i]!
      at += 1
    }
    keys[user] = names.fork(name).uniform()
    offsets[++user] = at
  }
  const left = settledBy === undefined ? null : packLeftItems(users, itemCount, settledBy)
  if (at === total) return { offsets, items, rewards, times, keys, left }
  return {
    offsets,
    items: items.slice(0, at),
    rewards: rewards.slice(0, at),
    times: times && times.slice(0, at),
    keys,
    left,
  }
}

/** Visits all users twice, first to count, because the items may take much memory. */
function packLeftItems(
  users: ReadonlyMap<string, UserState>,
  itemCount: number,
  settledBy: number,
): PackedLeftItems | null {
  const offsets = new Int32Array(users.size + 1)
  for (const [index, user] of [...users.values()].entries()) {
    offsets[index + 1] = offsets[index]! + leftBeforeChoices(user, itemCount, settledBy).length
  }
  const total = offsets[users.size]!
  if (total === 0) return null
  const [after, items] = [new Int32Array(total), new Int32Array(total)]
  let at = 0
  for (const user of users.values()) {
    for (const one of leftBeforeChoices(user, itemCount, settledBy)) {
      after[at] = one.after
      items[at++] = one.item
    }
  }
  return { offsets, after, items }
}

/** Returns the items that a user left before an interaction, all among the first `itemCount`. */
function leftBeforeChoices(
  user: UserState,
  itemCount: number,
  settledBy: number,
): readonly Pick<Observation, 'after' | 'item'>[] {
  // The number of packed interactions before each one.
  const places: number[] = []
  let packed = 0
  for (const item of user.history.column('items')) {
    places.push(packed)
    packed += Number(item < itemCount)
  }
  return leftItems(user, settledBy).flatMap(({ after, item }) => {
    const place = places[after] ?? packed
    return item < itemCount && place < packed ? [{ after: place, item }] : []
  })
}

/** Returns views of packed histories. Missing times are 0. */
export function unpackHistories(packed: PackedHistories): History[] {
  const { offsets, items, rewards, times, left } = packed
  const longest = offsets.reduce((max, to, i) => Math.max(max, to - (offsets[i - 1] ?? 0)), 0)
  const zeros = new Float64Array(times === null ? longest : 0)
  return Array.from({ length: offsets.length - 1 }, (_, user) => {
    const [from, to] = [offsets[user]!, offsets[user + 1]!]
    return {
      items: items.subarray(from, to),
      rewards: rewards.subarray(from, to),
      times: times === null ? zeros.subarray(0, to - from) : times.subarray(from, to),
      ...(left && { left: unpackLeftItems(left, user) }),
    }
  })
}

function unpackLeftItems({ offsets, after, items }: PackedLeftItems, user: number): LeftItems {
  const range = [offsets[user]!, offsets[user + 1]!] as const
  return { after: after.subarray(...range), items: items.subarray(...range) }
}

/** Means over held-out interactions, each ranked in the whole catalog. */
export type Ranking = Omit<Quality, 'coverage'>

/** Returns the rank of each held-out interaction, from 1. Ties count against it. */
export function modelRanks(model: SequenceModel, { tests, excludeHistory }: HeldOut): Int32Array {
  const ranks = new Int32Array(tests.length)
  createCatalogScorer(model).scoreTargets(tests, (sequence, position, scores) => {
    const { items } = tests[sequence]!
    ranks[sequence] = heldOutRank(scores, items, position, excludeHistory)
  })
  return ranks
}

/**
 * Returns the rank of the item at `position`. A repeated item ranks last if the history is
 * excluded.
 */
export function heldOutRank(
  scores: Float32Array,
  items: Int32Array,
  position: number,
  excludeHistory: boolean,
): number {
  const target = items[position]!
  if (!excludeHistory) return rankOf(scores, target)
  const seen = new Set(items.subarray(0, position))
  return seen.has(target) ? scores.length : rankOf(scores, target, seen)
}
