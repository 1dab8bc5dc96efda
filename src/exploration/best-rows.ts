// The best candidates by score; the request's hash breaks ties.

import { RenError } from '../core/errors.ts'
import { tieHash } from '../kernels/index.ts'
import type { Candidates } from './candidates.ts'
import type { RowPick, SlateRequest } from './slate-policy.ts'

/** One score per row of the candidates' embeddings. */
export type Scores = Float32Array | Float64Array

/** Returns the `count` best rows in falling order. O(rows·log count), and usually O(rows). */
export function bestRows(
  { rows, itemOf }: Pick<Candidates, 'rows' | 'itemOf'>,
  scores: Scores,
  count: number,
  seed: number,
): Int32Array {
  const beats = (a: number, b: number): boolean => {
    const lead = scores[a]! - scores[b]!
    return lead > 0 || (lead === 0 && tieHash(seed, itemOf(a)) < tieHash(seed, itemOf(b)))
  }
  for (const row of rows) {
    if (Number.isFinite(scores[row]!)) continue
    throw new RenError('non-finite-result', `the score of item ${itemOf(row)} is ${scores[row]}`)
  }
  const best = rows.slice(0, count) // a heap with the worst row on top
  for (let at = count >>> 1; at >= 0; at--) sink(best, at, beats)
  for (let i = count; i < rows.length; i++) {
    if (!beats(rows[i]!, best[0]!)) continue
    best[0] = rows[i]!
    sink(best, 0, beats)
  }
  return best.toSorted((a, b) => (beats(a, b) ? -1 : 1))
}

function sink(heap: Int32Array, from: number, beats: (a: number, b: number) => boolean): void {
  for (let at = from; ;) {
    let child = 2 * at + 1
    if (child >= heap.length) return
    if (child + 1 < heap.length && beats(heap[child]!, heap[child + 1]!)) child += 1
    if (!beats(heap[at]!, heap[child]!)) return
    const worse = heap[child]!
    heap[child] = heap[at]!
    heap[at] = worse
    at = child
  }
}

/**
 * Picks the candidates with the highest scores plus boosts, in falling order; ties are in random
 * order.
 *
 * @param scores One score per row of the candidates.
 * @param termsOf Further terms of a picked row, for its explanation.
 */
export function bestPicks(
  { candidates, decision, count, seed }: Omit<SlateRequest, 'relevance'>,
  scores: Scores,
  termsOf: (row: number) => Omit<RowPick, 'row' | 'score'> = () => ({}),
): RowPick[] {
  const { rows, itemOf } = candidates
  const { boosts } = decision
  const boostOf = (row: number) => boosts?.get(itemOf(row))
  // In float64, because float32 could round a small boost away.
  const totals = boosts === undefined ? scores : Float64Array.from(scores)
  if (boosts !== undefined) for (const row of rows) totals[row]! += boostOf(row) ?? 0
  return Array.from(bestRows(candidates, totals, count, seed), (row) => {
    const boost = boostOf(row)
    return { row, score: totals[row]!, ...termsOf(row), ...(boost !== undefined && { boost }) }
  })
}
