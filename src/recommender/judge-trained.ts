// Judges the model of a full training run on the interactions that were held out of it, beside
// popularity and beside the model that serves.

import type { Engine } from '../kernels/index.ts'
import { loadModel } from '../models/index.ts'
import { supportOf } from './full-training.ts'
import type { TrainedModel } from './full-training.ts'
import { modelRanks, rankOf, rankingOf } from './ranking.ts'
import type { Ranking } from './ranking.ts'

export interface Judgment {
  readonly model: Ranking
  readonly popularity: Ranking
  /** The model that serves. It may have learned from some of the held-out interactions. */
  readonly before: Ranking
  /** Whether the new model is to be adopted. */
  readonly better: boolean
}

/**
 * The model that serves may have learned from held-out interactions, and the new one has not: so
 * the new one may be this much below it.
 */
const handicap = 0.02

export function judgeTrainedModel(
  engine: Engine,
  trained: TrainedModel,
  served: Uint8Array,
): Judgment {
  const { model: after, heldOut } = trained
  const { model: serving } = loadModel(engine, served)
  const model = rankingOf(modelRanks(after, heldOut))
  const before = rankingOf(modelRanks(serving, heldOut))
  const popularity = rankingOf(popularityRanks(trained))
  // A model without any order, such as a constant one, has no gain at all.
  const better = model.ndcg10 > 0 && model.ndcg10 >= (1 - handicap) * before.ndcg10
  return { model, popularity, before, better }
}

function popularityRanks({ model, heldOut }: TrainedModel): Int32Array {
  const { training, tests, excludeHistory } = heldOut
  const support = Float32Array.from(supportOf(training, model.itemCount))
  return Int32Array.from(tests, ({ items, firstTarget }) =>
    rankOf(support.slice(), items, firstTarget, excludeHistory),
  )
}
