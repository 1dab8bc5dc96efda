// Recommenders around the one model of a run: each knows of the movies what the model learnt from.

import { createCountUncertainty } from '../../exploration/index.ts'
import type { ExplorationPolicy, UncertaintyEstimator } from '../../exploration/index.ts'
import type { SequenceModel } from '../../models/index.ts'
import { createRecommender } from '../../recommender/index.ts'
import type { Recommender } from '../../recommender/index.ts'
import type { SlateSettings } from './settings.ts'
import type { Split } from './split.ts'

/** All that the methods of a run share. */
export interface Setting {
  readonly model: SequenceModel
  readonly split: Split
  readonly settings: Pick<SlateSettings, 'steps' | 'slateSize' | 'cutoff' | 'exclude' | 'timed'>
  readonly seed: number
}

/**
 * A recommender of all movies but those `without`. How often a movie was rated by those the model
 * has learnt from is n_k of σ_k = 1/√n_k, and how popular it is.
 */
export function recommenderOf(
  { model, split: { itemNames, counts }, seed }: Setting,
  policy: ExplorationPolicy,
  without: readonly string[],
): Recommender {
  const deviations = new Float32Array(itemNames.length)
  createCountUncertainty().estimate({ impressions: counts }, deviations)
  const uncertainty: UncertaintyEstimator = {
    name: 'training-counts',
    estimate: (_, out) => out.set(deviations),
  }
  const informed: ExplorationPolicy = {
    name: policy.name,
    choose: (decision, slateSize) => policy.choose({ ...decision, takes: counts }, slateSize),
  }
  const recommender = createRecommender({ model, policy: informed, itemNames, seed, uncertainty })
  recommender.removeItems(without)
  return recommender
}

/** Adds to the history of a user, in that order. */
export function take(
  recommender: Recommender,
  user: string,
  items: readonly string[],
  time: number,
): void {
  for (const item of items) recommender.observe({ kind: 'taken', user, item, reward: 1, time })
}
