// The session-kNN baseline: what the most similar past sessions hold.

import { invalid } from '../core/errors.ts'
import type { InteractionLog } from '../core/log.ts'
import type { Scorer } from './scorer.ts'
import { createSessionIndex, listAt } from './session-index.ts'

/** Settings of session-kNN; the defaults are those of the papers that made it known. */
export interface SessionKnnOptions {
  /** Number k of most similar sessions that vote. */
  readonly neighbours?: number
  /** Number m of most recent sessions, among those that share an item, to choose them from. */
  readonly sample?: number
}

/**
 * Scores an item by Σ_n |s ∩ n| / √(|s||n|) over the k nearest sessions n that hold it, where s is
 * the set of items of the history.
 */
export function createSessionKnn(
  log: InteractionLog,
  { neighbours = 500, sample = 1000 }: SessionKnnOptions = {},
): Scorer {
  if (!(neighbours >= 1 && sample >= 1)) {
    throw invalid(
      `session-kNN: expected neighbours and sample of at least 1, got ${neighbours} and ${sample}`,
    )
  }
  const { itemCount, sessionCount, itemsOf, sessionsOf } = createSessionIndex(log)
  const shared = new Int32Array(sessionCount) // items in common with the history; 0 between calls
  const touched = new Int32Array(sessionCount)

  /** The sessions that share an item with the history, most recent last; fills `shared`. */
  function candidates(items: ReadonlySet<number>): Int32Array {
    let count = 0
    for (const item of items) {
      const sessions = listAt(sessionsOf, item)
      for (let at = 0; at < sessions.length; at++) {
        const session = sessions[at]!
        if (shared[session] === 0) touched[count++] = session
        shared[session]! += 1
      }
    }
    return touched.subarray(0, count).toSorted()
  }

  return {
    itemCount,
    score(history, out) {
      out.fill(0)
      const items = new Set(history)
      const found = candidates(items)
      const recent = found.subarray(Math.max(0, found.length - sample))
      const similarities = Float64Array.from(recent, (session) => {
        return shared[session]! / Math.sqrt(items.size * listAt(itemsOf, session).length)
      })
      for (const at of largest(similarities, neighbours)) {
        addTo(out, listAt(itemsOf, recent[at]!), similarities[at]!)
      }
      for (const session of found) shared[session] = 0
    },
  }
}

function addTo(out: Float32Array, items: Int32Array, amount: number): void {
  for (let at = 0; at < items.length; at++) out[items[at]!]! += amount
}

/** Places of the `count` largest values; of equal ones, the last. */
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
