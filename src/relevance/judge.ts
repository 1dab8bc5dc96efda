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

  /** The ranks of the judged interactions, the oldest first. */
  get ranks(): readonly number[] {
    return this.#oldestFirst().map(({ rank }) => rank)
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

/** What an item at this rank adds to NDCG@10. */
export const gainOf = (rank: number): number => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)

/** All means are 0 if there are no ranks. */
export function qualityOf(ranks: ArrayLike<number>): Omit<Quality, 'coverage'> {
  const { length: examples } = ranks
  let [hits, gain, reciprocal] = [0, 0, 0]
  for (let i = 0; i < examples; i++) {
    hits += Number(ranks[i]! <= 10)
    gain += gainOf(ranks[i]!)
    reciprocal += 1 / ranks[i]!
  }
  const mean = (sum: number): number => sum / Math.max(1, examples)
  return { examples, hr10: mean(hits), ndcg10: mean(gain), mrr: mean(reciprocal) }
}
