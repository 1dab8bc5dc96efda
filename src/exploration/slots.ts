// Decides which slots of a slate of the policy `ren` may explore. With an exploratory share, the last
// slots explore and the others hold the most relevant items. With a cap, a limited number of items may
// come from outside the greedy slate.

import { tieHash } from '../kernels/index.ts'
import type { Decision, ItemIndex, ScoredItem, ScoreWeights } from '../core/types.ts'
import type { RenOptions } from './ren-settings.ts'

export interface PickMore {
  /** The items to pick from. Defaults to those of the decision. */
  readonly among?: Int32Array
  /** Items that may not be picked. */
  readonly without?: ReadonlySet<ItemIndex>
  /** Earlier picks, which count as visits. */
  readonly after?: readonly ScoredItem[]
}

/** Picks items for one request. */
export interface SlotPicker {
  readonly weights: ScoreWeights
  readonly sequential: boolean
  readonly tieSeed: number
  /** Picks by relevance alone. */
  mostRelevant(count: number): readonly ScoredItem[]
  /** Picks by the request's weights and boosts. */
  pick(count: number, more?: PickMore): readonly ScoredItem[]
  /** Picks and orders by relevance and boosts. */
  mostRelevantBoosted(count: number): readonly ScoredItem[]
}

/** Picks the slate of a request, within its limits on exploration. */
export function pickSlate(
  picker: SlotPicker,
  count: number,
  settings: RenOptions,
  decision: Pick<Decision, 'coldness'>,
): readonly ScoredItem[] {
  const { exploratorySlots: slots = Infinity } = settings
  const share = shareOf(settings, decision) ?? 1
  const { diversityWeight, uncertaintyWeight } = picker.weights
  const isGreedy = diversityWeight === 0 && uncertaintyWeight === 0
  if (share < 1 && !isGreedy) {
    return shareSlots(picker, count, Math.min(slots, slotsOf(share * count, picker.tieSeed)))
  }
  if (share < 1 || slots === Infinity) return picker.pick(count)
  return capExploration(picker, count, slots)
}

/** Returns the exploratory share, between that of a warm and that of a cold catalog. */
export function shareOf(
  settings: Pick<RenOptions, 'exploratoryShare' | 'coldExploratoryShare'>,
  { coldness = 0 }: Pick<Decision, 'coldness'>,
): number | undefined {
  const { exploratoryShare: warm, coldExploratoryShare: cold = warm } = settings
  return warm === undefined || cold === undefined ? warm : warm + coldness * (cold - warm)
}

/**
 * Rounds a number of slots up or down so that its mean over requests is exact: always rounding up
 * would give every slate of one item to exploration. The hash depends on the request, not on weights.
 */
export function slotsOf(expected: number, hash: number): number {
  const whole = Math.floor(expected + 1e-9)
  return whole + Number(hash / 2 ** 32 < expected - whole - 1e-9)
}

/** Picks a slate with at most `cap` items that are not among the `count` most relevant ones. */
function capExploration(picker: SlotPicker, count: number, cap: number): readonly ScoredItem[] {
  const greedy = new Set(picker.mostRelevant(count).map(({ item }) => item))
  const free = picker.pick(count)
  const within = countWithinCap(free, greedy, cap)
  if (within === free.length) return free
  if (picker.sequential) {
    // The picks before the first one beyond the cap stay; only greedy items follow.
    const after = free.slice(0, within)
    const among = Int32Array.from(greedy.difference(new Set(after.map(({ item }) => item))))
    return [...after, ...picker.pick(count - within, { among, after })]
  }
  const outside = cap === 0 ? [] : picker.pick(cap, { without: greedy })
  const inside = picker.pick(count, { among: Int32Array.from(greedy) })
  return [...outside, ...inside].toSorted(byScore(picker.tieSeed)).slice(0, count)
}

/** Counts the picks before the one that exceeds the cap on items outside `greedy`. */
function countWithinCap(
  picks: readonly ScoredItem[],
  greedy: ReadonlySet<number>,
  cap: number,
): number {
  let outside = 0
  const at = picks.findIndex(({ item }) => {
    if (!greedy.has(item)) outside += 1
    return outside > cap
  })
  return at < 0 ? picks.length : at
}

/**
 * Bounds the cost of exploration for any weights. The last `exploratory` slots hold the remaining
 * items with the highest scores. The slots before hold the most relevant items, by relevance plus
 * boost.
 */
function shareSlots(picker: SlotPicker, count: number, exploratory: number): readonly ScoredItem[] {
  const first = picker.mostRelevantBoosted(count - exploratory)
  if (exploratory === 0) return first
  const without = new Set(first.map(({ item }) => item))
  const after = picker.sequential ? { after: first } : {}
  return [...first, ...picker.pick(exploratory, { without, ...after })]
}

/** Orders by falling score, and ties by the request's hash. */
export function byScore(tieSeed: number): (a: ScoredItem, b: ScoredItem) => number {
  return (a, b) => b.score - a.score || tieHash(tieSeed, a.item) - tieHash(tieSeed, b.item)
}
