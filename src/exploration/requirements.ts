// The checks of options and decisions that policies share, and the items of A_t.

import { RenError, invalid, shapeMismatch } from '../core/errors.ts'
import type { Decision, ExplorationSettings, RewardedItems } from '../core/types.ts'

export function requirePositiveInteger(what: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return
  throw invalid(`${what} must be a positive integer, got ${value}`, what)
}

/** Throws if a value is not finite or not within `min` and `max`. */
export function requireWithin(what: string, value: number, min: number, max = Infinity): void {
  if (Number.isFinite(value) && value >= min && value <= max) return
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`
  throw invalid(`${what} must be a finite number ${range}, got ${value}`, what)
}

export function requireCount(what: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw invalid(`${what} must be an integer of at least 0, got ${value}`, what)
}

export function requireIndices(what: string, indices: Int32Array, itemCount: number): void {
  for (let i = 0; i < indices.length; i++) {
    const item = indices[i]!
    if (item >= 0 && item < itemCount) continue
    throw new RenError(
      'index-out-of-range',
      `${what}[${i}] must be from 0 to ${itemCount - 1}, got ${item}`,
    )
  }
}

/** Checks lengths, item numbers and rewards. Embeddings are checked where they are read. */
export function requireDecision(decision: Decision, slateSize: number): void {
  const { rows: itemCount, columns: dimension } = decision.items
  requirePositiveInteger('slateSize', slateSize)
  if (itemCount === 0) throw invalid('items: the catalog is empty')
  requireLength('userEmbedding', decision.userEmbedding.length, dimension)
  requireLength('rewards', decision.rewards.length, decision.visited.length)
  for (const name of ['uncertainty', 'impressions', 'interactions'] as const) {
    requireLength(name, decision[name].length, itemCount)
  }
  if (decision.offsets) requireLength('offsets', decision.offsets.length, itemCount)
  requireIndices('visited', decision.visited, itemCount)
  requireIndices('excluded', decision.excluded, itemCount)
  if (decision.candidates) requireIndices('candidates', decision.candidates, itemCount)
  requireFinite('rewards', decision.rewards)
}

export function requireLength(what: string, length: number, expected: number, path = what): void {
  if (length === expected) return
  throw shapeMismatch(`${what} must hold ${expected} values, got ${length}`, path)
}

export function requireFinite(what: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue
    throw new RenError('non-finite-input', `${what}[${i}] is ${values[i]}`)
  }
}

/** The settings of policies with an A_t (`designSettings`). */
export type DesignSettings = Pick<ExplorationSettings, 'designMatrix' | 'historyCap'>

/** Returns the items that A_t sums over and the reward of each, which a regression reads. */
export function designItems(
  decision: Decision,
  { designMatrix = 'reported', historyCap: cap = Infinity }: DesignSettings,
): RewardedItems {
  const { visited, rewards: visitRewards, reported } = decision
  const { items, rewards } =
    designMatrix === 'reported' && reported !== undefined
      ? requireReported(reported(), decision)
      : { items: visited, rewards: visitRewards }
  return { items: items.subarray(-cap), rewards: rewards.subarray(-cap) }
}

/** `requireDecision` has checked the visits. */
function requireReported(reported: RewardedItems, decision: Decision): RewardedItems {
  requireLength('reported.rewards', reported.rewards.length, reported.items.length)
  requireIndices('reported.items', reported.items, decision.items.rows)
  requireFinite('reported.rewards', reported.rewards)
  return reported
}
