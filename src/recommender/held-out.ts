// Which interactions a training run does not learn from, so that it can be judged on them.

import { RenError } from '../core/errors.ts'
import type { TestSequence } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import { createRandom } from '../core/random.ts'
import { rankOf } from '../core/rank.ts'
import { sliceHistory } from '../models/batch.ts'
import type { History, SequenceModel } from '../models/index.ts'
import { createCatalogScorer } from '../models/index.ts'
import type { Quality } from '../relevance/index.ts'
import { areRepeatsRare } from './evidence.ts'
import type { UserState } from './user-state.ts'

export interface HeldOut {
  /** Histories to learn from: those of held-out users end before their latest interaction. */
  readonly training: readonly History[]
  /** Whole histories of the held-out users: the last interaction of each is to be predicted. */
  readonly tests: readonly TestSequence[]
  /** Whether the items of a history rank last. */
  readonly excludeHistory: boolean
}

interface HoldOutOptions {
  /** One number per user: those with the smallest are held out. */
  readonly keys?: Float64Array
  readonly random: Random
  readonly excludeHistory?: boolean
}

/** More would make validation slow, and hardly more exact. */
const maxHeldOut = 2000

/** Holds out the latest interaction of at most half of the users who have two. */
export function holdOutLatest(sequences: readonly History[], options: HoldOutOptions): HeldOut {
  const { random, excludeHistory = isChosenOnce(sequences) } = options
  const keys = options.keys ?? drawnKeys(sequences.length, random.fork('held out'))
  const eligible = Array.from(sequences.keys()).filter((user) => sequences[user]!.items.length > 1)
  const count = Math.min(maxHeldOut, Math.floor(eligible.length / 2))
  if (count === 0) {
    const message = 'full training needs at least two users with two interactions each'
    throw new RenError('invalid-argument', `${message}, got ${eligible.length}`)
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

const drawnKeys = (count: number, random: Random): Float64Array =>
  Float64Array.from({ length: count }, () => random.uniform())

/** Whether users hardly ever choose an item again: then histories are left out. */
function isChosenOnce(sequences: readonly History[]): boolean {
  let [repeats, total] = [0, 0]
  for (const { items } of sequences) {
    repeats += items.length - new Set(items).size
    total += Math.max(0, items.length - 1)
  }
  return areRepeatsRare(repeats, total)
}

/** Interactions per item. */
export function supportOf(sequences: readonly History[], itemCount: number): Float64Array {
  const support = new Float64Array(itemCount)
  for (const { items } of sequences) for (const item of items) support[item]! += 1
  return support
}

// Users' histories in a few typed arrays, to be moved to another thread without a copy.

/** The histories of many users in a few arrays, to send to another thread. */
export interface PackedHistories {
  /** Where the interactions of each user begin, and at the end how many there are. */
  readonly offsets: Int32Array<ArrayBuffer>
  readonly items: Int32Array<ArrayBuffer>
  readonly rewards: Float32Array<ArrayBuffer>
  /** Null where the model does not read them: they would be half of the memory. */
  readonly times: Float64Array<ArrayBuffer> | null
  /** One number per user from 0 to 1, which depends on the name alone. */
  readonly keys: Float64Array<ArrayBuffer>
}

/** Packs the interactions of all users with the first `itemCount` items of the catalog. */
export function packHistories(
  users: ReadonlyMap<string, UserState>,
  itemCount: number,
  withTimes: boolean,
): PackedHistories {
  let total = 0
  for (const { history } of users.values()) total += history.length
  const [items, rewards, times] = [
    new Int32Array(total),
    new Float32Array(total),
    withTimes ? new Float64Array(total) : null,
  ]
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
  if (at === total) return { offsets, items, rewards, times, keys }
  return {
    offsets,
    items: items.slice(0, at),
    rewards: rewards.slice(0, at),
    times: times && times.slice(0, at),
    keys,
  }
}

/** The histories, which share the memory of the packed ones. Times that are not there are all 0. */
export function unpackHistories(packed: PackedHistories): History[] {
  const { offsets, items, rewards, times } = packed
  const longest = offsets.reduce((max, to, i) => Math.max(max, to - (offsets[i - 1] ?? 0)), 0)
  const zeros = new Float64Array(times === null ? longest : 0)
  return Array.from({ length: offsets.length - 1 }, (_, user) => {
    const [from, to] = [offsets[user]!, offsets[user + 1]!]
    return {
      items: items.subarray(from, to),
      rewards: rewards.subarray(from, to),
      times: times === null ? zeros.subarray(0, to - from) : times.subarray(from, to),
    }
  })
}

// How well a model ranks held-out interactions: each among the whole catalog.

/** Means over held-out interactions, each ranked among the whole catalog. */
export type Ranking = Omit<Quality, 'coverage'>

/** The rank of each held-out interaction from 1; ties count against it. */
export function modelRanks(model: SequenceModel, { tests, excludeHistory }: HeldOut): Int32Array {
  const ranks = new Int32Array(tests.length)
  createCatalogScorer(model).scoreTargets(tests, (sequence, position, scores) => {
    const { items } = tests[sequence]!
    ranks[sequence] = heldOutRank(scores, items, position, excludeHistory)
  })
  return ranks
}

/** An item of the history ranks last where the history is excluded. */
export function heldOutRank(
  scores: Float32Array,
  items: Int32Array,
  position: number,
  excludeHistory: boolean,
): number {
  const target = items[position]!
  if (!excludeHistory) return rankOf(scores, target)
  const seen = new Set(items.subarray(0, position))
  return seen.has(target) ? scores.length : rankOf(scores, target, (item) => seen.has(item))
}
