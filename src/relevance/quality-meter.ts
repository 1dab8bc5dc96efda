// Ranking quality: the rank of the item that a user chose next, among all items that could have
// been recommended.

import type { ItemIndex } from '../core/types.ts'

/** Means over judged interactions. */
export interface Quality {
  readonly examples: number
  /** Share of chosen items with a rank of at most 10. */
  readonly hr10: number
  readonly ndcg10: number
  /** Mean of 1/rank. */
  readonly mrr: number
  /** Share of the catalog that was in the top ten of any judged interaction. */
  readonly coverage: number
}

/**
 * Judged interactions, the oldest first: the rank, followed by the items of the top ten that are in
 * no later top ten. This is enough for coverage, and smaller than whole lists.
 */
export type SavedMeter = readonly (readonly number[])[]

/** With fewer judged interactions, differences between methods are mostly noise. */
export const minJudged = 100
/**
 * The number of independent ones from which on only these compare methods. It is larger, because a
 * service that is in doubt should serve the blend, and slates already favor it.
 */
export const minIndependent = 300

/** Whether an NDCG@10 is so far below another that the service reacts. */
export const isClearlyBelow = (ndcg10: number, other: number): boolean => ndcg10 < 0.9 * other

interface JudgedRank {
  readonly rank: number
  readonly firstTen: Int32Array
  readonly isIndependent: boolean
}

/** Measures the quality over the newest `limit` judged interactions. */
export class QualityMeter {
  readonly #limit: number
  readonly #judged: JudgedRank[] = []
  #next = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * @param firstTen The ten items with the highest scores.
   * @param isIndependent Whether no slate can have led to the interaction. Defaults to false.
   */
  add(rank: number, firstTen: Int32Array, isIndependent = false): void {
    this.#judged[this.#next] = { rank, firstTen, isIndependent }
    this.#next = (this.#next + 1) % this.#limit
  }

  /** @param newest How many of the newest interactions count. Defaults to all. */
  quality(itemCount: number, newest?: number): Quality {
    return qualityWithCoverage(this.#newest(newest), itemCount)
  }

  /** The quality over the independent ones among the same interactions. */
  independent(itemCount: number, newest?: number): Quality {
    const independent = this.#newest(newest).filter(({ isIndependent }) => isIndependent)
    return qualityWithCoverage(independent, itemCount)
  }

  /** Whether each judged interaction is independent, the oldest first. */
  get areIndependent(): readonly boolean[] {
    return this.#oldestFirst().map(({ isIndependent }) => isIndependent)
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

  /**
   * Restores a saved meter. This meter must be empty.
   *
   * @param areIndependent For the newest interactions. Defaults to false for all.
   */
  restore(saved: SavedMeter, areIndependent: readonly boolean[] = []): void {
    for (const [index, [rank, ...items]] of saved.entries()) {
      const isIndependent = areIndependent[areIndependent.length - saved.length + index]
      this.add(rank!, Int32Array.from(items), isIndependent)
    }
  }

  #newest(count = this.#judged.length) {
    return this.#oldestFirst().slice(Math.max(0, this.#judged.length - count))
  }

  #oldestFirst() {
    return [...this.#judged.slice(this.#next), ...this.#judged.slice(0, this.#next)]
  }
}

function qualityWithCoverage(judged: readonly JudgedRank[], itemCount: number): Quality {
  const covered = new Set(judged.flatMap(({ firstTen }) => [...firstTen]))
  const coverage = itemCount === 0 ? 0 : covered.size / itemCount
  return { ...qualityOf(judged.map(({ rank }) => rank)), coverage }
}

/** The gain of a rank in NDCG@10. */
export const gainOf = (rank: number): number => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)

/** Computes the quality of ranks. All means are 0 without ranks. */
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
