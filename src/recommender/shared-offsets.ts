// The part of relevance that all users share: the model's item bias, popularity and click rates. Kept for all
// items, and corrected as counts move.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { clickRateFeature, optimisticRateFeature, popularityFeature } from '../relevance/index.ts'
import type { BlendWeights } from '../relevance/index.ts'
import type { Evidence } from './evidence.ts'

/**
 * What a request chooses among. A cold catalog is still to be explored; whoever names candidates has
 * chosen already.
 */
export type Among = 'catalog' | 'candidates'

/** Typical click rates are rounded to powers of this, so that most events change one item only. */
const rateStep = 1.05

/** @param optimismNow How far click rates are optimistic, from 0 to 1. */
export function createSharedOffsets(
  model: SequenceModel,
  evidence: Evidence,
  optimismNow: () => number,
) {
  let values = new Float32Array(0)
  let typicalRate = 0
  let version = -1
  let isValid = false
  let optimism = 0

  /** What slates brought is left to the click rate: it says more of what was shown than of what is liked. */
  const popularity = (item: ItemIndex): number => popularityFeature(evidence.organic[item] ?? 0)
  function clickRateAt(item: ItemIndex, rate: number, share: number): number {
    const [clicks, exposures] = [evidence.clicks[item] ?? 0, evidence.exposures[item] ?? 0]
    const feature = clickRateFeature(clicks, exposures, rate)
    if (share === 0) return feature
    const optimistic = optimisticRateFeature(clicks, exposures, rate)
    return feature + share * (optimistic - feature)
  }

  let rounded = { from: Number.NaN, rate: 0 }

  /** Cached, because the judge asks once per item. */
  function rateNow(): number {
    const { typicalRate: from } = evidence
    if (rounded.from !== from) {
      rounded = { from, rate: rateStep ** Math.round(Math.log(from) / Math.log(rateStep)) }
    }
    return rounded.rate
  }

  const valueOf = (item: ItemIndex, weights: BlendWeights): number =>
    weights.model * (model.itemBias?.values[item] ?? 0) +
    weights.popularity * popularity(item) +
    weights.clickRate * clickRateAt(item, typicalRate, optimism)

  return {
    popularity,
    clickRate: (item: ItemIndex, among: Among = 'catalog'): number =>
      clickRateAt(item, rateNow(), among === 'catalog' ? optimismNow() : 0),
    invalidate() {
      isValid = false
    },
    values(weights: BlendWeights): { values: Float32Array; changed: 'all' | Iterable<ItemIndex> } {
      const changed = evidence.takeChanged()
      const [rate, share] = [rateNow(), optimismNow()]
      const isCurrent =
        isValid &&
        share === optimism &&
        values.length === model.itemCount &&
        rate === typicalRate &&
        (version === model.version || weights.model === 0)
      if (isCurrent) {
        for (const item of changed) values[item] = valueOf(item, weights)
        return { values, changed }
      }
      ;[typicalRate, version, isValid, optimism] = [rate, model.version, true, share]
      values = Float32Array.from({ length: model.itemCount }, (_, item) => valueOf(item, weights))
      return { values, changed: 'all' }
    },
  }
}
