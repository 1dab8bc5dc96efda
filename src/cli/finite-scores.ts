// Scores that can be ranked, or an error that says what to do about training that ran away.

import { RenError } from '../core/errors.ts'
import type { CatalogScorer } from '../models/index.ts'

/** The scorer, refusing scores that are not finite. */
export function withFiniteScores(scorer: CatalogScorer): CatalogScorer {
  return {
    itemCount: scorer.itemCount,
    scoreTargets(sequences, visit) {
      scorer.scoreTargets(sequences, (sequence, position, scores) => {
        requireFinite(scores)
        visit(sequence, position, scores)
      })
    },
  }
}

function requireFinite(scores: Float32Array): void {
  let broken = 0
  for (let item = 0; item < scores.length; item++) broken += Number(!Number.isFinite(scores[item]))
  if (broken === 0) return
  throw new RenError(
    'non-finite-result',
    'the model gave scores that are not finite, so its weights have grown out of bounds: train with ' +
      'a lower --rate, or bound the gradients with --clip',
  )
}
