// How well relevance ranks: where the item that a user chose next stands among all that could have
// been recommended.

import type { ItemIndex } from '../core/types.ts'

/** Means over judged interactions. */
export interface Quality {
  readonly examples: number
  /** Share of chosen items among the first ten. */
  readonly hr10: number
  readonly ndcg10: number
  /** Mean of 1/rank over all ranks. */
  readonly mrr: number
  /** Share of the catalog that was among the first ten of any user. */
  readonly coverage: number
}

/**
 * Judged interactions, the oldest first. Each is its rank, followed by those of its first ten items that
 * no later interaction had there: coverage needs no more, and no whole list is stored.
 */
export type SavedMeter = readonly (readonly number[])[]

/** Of fewer judged interactions, the order of methods is mostly chance. */
export const minJudged = 100

/** Whether an NDCG@10 is so much below another that the service does something about it. */
export const isClearlyBelow = (ndcg10: number, other: number): boolean => ndcg10 < 0.9 * other

/** The quality of the newest `limit` interactions that were judged. */
export class QualityMeter {
  readonly #limit: number
  readonly #judged: { readonly rank: number; readonly firstTen: Int32Array }[] = []
  #next = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** @param firstTen The items that were ranked first. */
  add(rank: number, firstTen: Int32Array): void {
    this.#judged[this.#next] = { rank, firstTen }
    this.#next = (this.#next + 1) % this.#limit
  }

  /** @param newest How many of the newest interactions count. Defaults to all. */
  quality(itemCount: number, newest = this.#judged.length): Quality {
    const ordered = this.#oldestFirst().slice(Math.max(0, this.#judged.length - newest))
    const covered = new Set(ordered.flatMap(({ firstTen }) => [...firstTen]))
    const coverage = itemCount === 0 ? 0 : covered.size / itemCount
    return { ...qualityOf(ordered.map(({ rank }) => rank)), coverage }
  }

  save(): SavedMeter {
    const later = new Set<ItemIndex>()
    const newestFirst = this.#oldestFirst()
      .toReversed()
      .map(({ rank, firstTen }) => {
        const items = [...firstTen].filter((item) => !later.has(item))
        for (const item of items) later.add(item)
        return [rank, ...items]
      })
    return newestFirst.toReversed()
  }

  /** Continues as the saved meter would; call it on an empty meter. */
  restore(saved: SavedMeter): void {
    for (const [rank, ...items] of saved) this.add(rank!, Int32Array.from(items))
  }

  #oldestFirst() {
    return [...this.#judged.slice(this.#next), ...this.#judged.slice(0, this.#next)]
  }
}

/** The items with the largest scores, the smaller row number first among equals. */
export function firstTenOf(
  scores: Float32Array | Float64Array,
  isExcluded: (item: ItemIndex) => boolean,
): Int32Array {
  const best: ItemIndex[] = []
  for (let item = 0; item < scores.length; item++) {
    const score = scores[item]!
    if (best.length === 10 && !(score > scores[best[9]!]!)) continue
    if (isExcluded(item)) continue
    let place = Math.min(best.length, 9)
    while (place > 0 && score > scores[best[place - 1]!]!) {
      best[place] = best[place - 1]!
      place -= 1
    }
    best[place] = item
  }
  return Int32Array.from(best)
}

export function qualityOf(ranks: readonly number[]): Omit<Quality, 'coverage'> {
  const examples = ranks.length
  const mean = (of: (rank: number) => number): number =>
    examples === 0 ? 0 : ranks.reduce((sum, rank) => sum + of(rank), 0) / examples
  return {
    examples,
    hr10: mean((rank) => Number(rank <= 10)),
    ndcg10: mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)),
    mrr: mean((rank) => 1 / rank),
  }
}
