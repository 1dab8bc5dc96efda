// What evaluation asks of a model or baseline: scores for the whole catalog.

import type { TestSequence, InteractionLog } from '../core/log.ts'

/** Scores the whole catalog after one history. */
export interface Scorer {
  readonly itemCount: number
  /** Writes to `out` a score for every item of the catalog as the one that follows `history`. */
  score(history: Int32Array, out: Float32Array): void
}

/** Scores many sequences in batches. `createCatalogScorer` makes one from a model. */
export interface BatchScorer {
  readonly itemCount: number
  /**
   * Calls `visit` once for each target of each sequence, with its place and the catalog's scores
   * given the items before it. A sequence starts from no state but its own. The scores belong to
   * the visitor during the call.
   */
  scoreTargets(sequences: readonly TestSequence[], visit: TargetVisitor): void
}

/** Receives the scores of all items for the target at one position of a sequence. */
export type TargetVisitor = (sequence: number, position: number, scores: Float32Array) => void

/** Any scorer as one that takes many sequences. */
export function toBatchScorer(scorer: Scorer | BatchScorer): BatchScorer {
  if ('scoreTargets' in scorer) return scorer
  const { itemCount } = scorer
  return {
    itemCount,
    scoreTargets(sequences, visit) {
      const scores = new Float32Array(itemCount)
      for (const [sequence, { items, firstTarget }] of sequences.entries()) {
        for (let position = firstTarget; position < items.length; position++) {
          scorer.score(items.subarray(0, position), scores)
          visit(sequence, position, scores)
        }
      }
    },
  }
}

// The popularity baseline: the same list for everybody.

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
