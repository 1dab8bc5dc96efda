// Baselines: popularity (the same list for every user), session-kNN (items of the most similar past
// sessions) and item-kNN (items that share sessions with the last item).

import { invalid } from '../core/errors.ts'
import { byUser, listAt } from '../core/log.ts'
import type { IndexLists, InteractionLog, UserSequence } from '../core/log.ts'
import type { Scorer } from './next-item.ts'

/**
 * Creates a baseline that scores each item by its number of interactions in the log.
 *
 * @example
 * ```ts
 * import { readCsv } from 'ren-recommender/datasets'
 * import { createPopularity } from 'ren-recommender/evaluation'
 *
 * const { log } = await readCsv('log.csv')
 * const scorer = createPopularity(log)
 * const scores = new Float32Array(scorer.itemCount)
 * scorer.score(new Int32Array(), scores) // the same for every history
 * ```
 */
export function createPopularity(log: InteractionLog): Scorer {
  const counts = new Float32Array(log.itemNames.length)
  for (const item of log.items) counts[item]! += 1
  return {
    itemCount: counts.length,
    score: (_history, out) => out.set(counts),
  }
}

/** Settings of session-kNN. The defaults are those of the original papers. */
export interface SessionKnnOptions {
  /** Number k of most similar sessions that vote. Defaults to 500. */
  readonly neighbors?: number
  /**
   * Number m of most recent sessions, among those that share an item, to choose them from. Defaults
   * to 1000.
   */
  readonly sample?: number
}

/**
 * Creates the baseline session-kNN, which recommends items of the most similar sessions.
 *
 * Scores an item by Σ_n |s ∩ n| / √(|s||n|) over the k nearest sessions n that hold it, where s is
 * the set of items of the history.
 */
export function createSessionKnn(
  log: InteractionLog,
  { neighbors = 500, sample = 1000 }: SessionKnnOptions = {},
): Scorer {
  if (!(neighbors >= 1 && sample >= 1)) {
    throw invalid(
      `session-kNN: neighbors and sample must be at least 1, got ${neighbors} and ${sample}`,
    )
  }
  const { itemCount, sessionCount, itemsOf, sessionsOf } = createSessionIndex(log)
  const shared = new Int32Array(sessionCount) // items shared with the history; all 0 between calls
  return {
    itemCount,
    score(history, out) {
      out.fill(0)
      const items = new Set(history)
      const found = Int32Array.from(countValues(sessionsOf, items, shared)).toSorted()
      const recent = found.subarray(Math.max(0, found.length - sample))
      const similarities = Float64Array.from(recent, (session) => {
        return shared[session]! / Math.sqrt(items.size * listAt(itemsOf, session).length)
      })
      for (const at of largest(similarities, neighbors)) {
        const similarity = similarities[at]!
        for (const item of listAt(itemsOf, recent[at]!)) out[item]! += similarity
      }
      for (const session of found) shared[session] = 0
    },
  }
}

/** Counts the values of the lists `of`. Returns the distinct ones, in order of appearance. */
function countValues(lists: IndexLists, of: Iterable<number>, counts: Int32Array): number[] {
  const found: number[] = []
  for (const list of of) {
    const values = listAt(lists, list)
    for (let at = 0; at < values.length; at++) {
      const value = values[at]!
      if (counts[value] === 0) found.push(value)
      counts[value]! += 1
    }
  }
  return found
}

/** Returns the positions of the `count` largest values; of equal values, the last ones. */
function largest(values: Float64Array, count: number): number[] {
  const threshold = values.toSorted()[values.length - count] ?? 0
  let ties = count
  for (const value of values) if (value > threshold) ties -= 1
  const places: number[] = []
  for (let at = values.length - 1; at >= 0; at--) {
    if (values[at]! > threshold || (values[at] === threshold && ties-- > 0)) places.push(at)
  }
  return places
}

/** Settings of item-kNN. */
export interface ItemKnnOptions {
  /**
   * Added to each item's session count, to shrink similarities of rare items toward 0. Defaults to
   * 0.
   */
  readonly regularization?: number
}

/**
 * Creates the baseline item-kNN, which recommends items that share sessions with the last item.
 *
 * Scores item j after a history that ends in item i by their cosine over sessions, c_ij / √((n_i +
 * r)(n_j + r)): c_ij sessions hold both, n_i hold i, r is the regularization. The last item itself
 * scores 0.
 */
export function createItemKnn(
  log: InteractionLog,
  { regularization = 0 }: ItemKnnOptions = {},
): Scorer {
  if (!(regularization >= 0)) {
    throw invalid(`item-kNN: the regularization must be at least 0, got ${regularization}`)
  }
  const index = createSessionIndex(log)
  const counts = new Int32Array(index.itemCount) // all 0 between calls
  const cache = new Map<number, ReturnType<typeof findNeighbors>>()
  return {
    itemCount: index.itemCount,
    score(history, out) {
      out.fill(0)
      const last = history.at(-1)
      if (last === undefined) return
      let neighbors = cache.get(last)
      if (!neighbors) {
        neighbors = findNeighbors(index, last, regularization, counts)
        cache.set(last, neighbors)
      }
      const { items, similarities } = neighbors
      for (let at = 0; at < items.length; at++) out[items[at]!] = similarities[at]!
    },
  }
}

/** Finds the items that share a session with an item, and their similarities to it. */
function findNeighbors(
  { itemsOf, sessionsOf }: SessionIndex,
  item: number,
  regularization: number,
  counts: Int32Array,
) {
  const support = (of: number): number => listAt(sessionsOf, of).length + regularization
  const found = countValues(itemsOf, listAt(sessionsOf, item), counts)
  const items = Int32Array.from(found).filter((other) => other !== item)
  const similarities = Float32Array.from(
    items,
    (other) => counts[other]! / Math.sqrt(support(item) * support(other)),
  )
  for (const other of items) counts[other] = 0
  counts[item] = 0
  return { items, similarities }
}

type SessionIndex = ReturnType<typeof createSessionIndex>

/** Indexes a log; each user is a session. Sessions are sorted by their last time. */
function createSessionIndex(log: InteractionLog) {
  const sessions = byUser(log)
    .toSorted((a, b) => lastTime(a) - lastTime(b))
    .map(({ items }) => Int32Array.from(new Set(items)))
  const itemCount = log.itemNames.length
  const itemsOf = concatenate(sessions)
  return {
    itemCount,
    sessionCount: sessions.length,
    /** The distinct items of each session. */
    itemsOf,
    /** The sessions of each item, ascending. */
    sessionsOf: transpose(itemsOf, itemCount),
  }
}

const lastTime = ({ times }: UserSequence): number => times[times.length - 1]!

function concatenate(lists: readonly Int32Array[]): IndexLists {
  const offsets = new Int32Array(lists.length + 1)
  for (const [index, list] of lists.entries()) offsets[index + 1] = offsets[index]! + list.length
  const values = new Int32Array(offsets[lists.length]!)
  for (const [index, list] of lists.entries()) values.set(list, offsets[index])
  return { offsets, values }
}

/** Inverts the lists: returns, for each value below `valueCount`, the lists that contain it. */
function transpose(lists: IndexLists, valueCount: number): IndexLists {
  const offsets = new Int32Array(valueCount + 1)
  for (const value of lists.values) offsets[value + 1]! += 1
  for (let value = 0; value < valueCount; value++) offsets[value + 1]! += offsets[value]!
  const next = offsets.slice()
  const values = new Int32Array(lists.values.length)
  for (let index = 0; index < lists.offsets.length - 1; index++) {
    for (const value of listAt(lists, index)) values[next[value]!++] = index
  }
  return { offsets, values }
}
