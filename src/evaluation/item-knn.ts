// The item-kNN baseline: what goes with the last item.

import { invalid } from '../core/errors.ts'
import type { InteractionLog } from '../core/log.ts'
import type { Scorer } from './scorer.ts'
import { createSessionIndex, listAt } from './session-index.ts'
import type { SessionIndex } from './session-index.ts'

/** Settings of item-kNN. */
export interface ItemKnnOptions {
  /** Added to each item's session count: draws chance neighbours of rare items towards 0. */
  readonly regularisation?: number
}

/** Similarities of one item to those it shares a session with. */
interface Neighbours {
  readonly items: Int32Array
  readonly similarities: Float32Array
}

/**
 * Scores item j after a history that ends in item i by their cosine over sessions,
 * c_ij / √((n_i + r)(n_j + r)): c_ij sessions hold both, n_i hold i, r is the regularisation. The
 * last item itself scores 0.
 */
export function createItemKnn(
  log: InteractionLog,
  { regularisation = 0 }: ItemKnnOptions = {},
): Scorer {
  if (!(regularisation >= 0)) {
    throw invalid(`item-kNN: expected a regularisation of at least 0, got ${regularisation}`)
  }
  const index = createSessionIndex(log)
  const counts = new Int32Array(index.itemCount) // kept at 0 between calls
  const cache = new Map<number, Neighbours>()
  return {
    itemCount: index.itemCount,
    score(history, out) {
      out.fill(0)
      const last = history.at(-1)
      if (last === undefined) return
      let neighbours = cache.get(last)
      if (!neighbours) {
        neighbours = findNeighbours(index, last, regularisation, counts)
        cache.set(last, neighbours)
      }
      const { items, similarities } = neighbours
      for (let at = 0; at < items.length; at++) out[items[at]!] = similarities[at]!
    },
  }
}

function findNeighbours(
  { itemsOf, sessionsOf }: SessionIndex,
  item: number,
  regularisation: number,
  counts: Int32Array,
): Neighbours {
  const support = (of: number): number => listAt(sessionsOf, of).length + regularisation
  const found: number[] = []
  for (const session of listAt(sessionsOf, item)) {
    const others = listAt(itemsOf, session)
    for (let at = 0; at < others.length; at++) {
      const other = others[at]!
      if (counts[other] === 0 && other !== item) found.push(other)
      counts[other]! += 1
    }
  }
  const items = Int32Array.from(found)
  const similarities = Float32Array.from(
    items,
    (other) => counts[other]! / Math.sqrt(support(item) * support(other)),
  )
  for (const other of items) counts[other] = 0
  counts[item] = 0
  return { items, similarities }
}
