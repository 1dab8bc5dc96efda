// What the click rates of all items say of one that was seldom shown.

/** The mean click rate of items, kept up to date as counts move. */
export interface TypicalRate {
  /** Adds or takes out one item with these counts. */
  add(clicks: number, impressions: number, sign: 1 | -1): void
  value(): number
}

/** Terms are rounded to this, so that sums do not depend on the order in which they were added. */
const unit = 2 ** -20
/** Impressions after which an item has half of the weight that it can have. */
const halfWeight = 10
/** Before anything was shown: as if one item with this rate were known. */
const first = { rate: 0.1, items: 1 }

/**
 * Σ w_k·c_k/n_k / Σ w_k with w_k = n_k/(n_k + 10). A mean over impressions would be that of the items
 * that are shown most, and every new item would seem as good as those.
 */
export function createTypicalRate(): TypicalRate {
  let rates = 0
  let weights = 0
  return {
    add(clicks, impressions, sign) {
      const count = impressions + halfWeight
      rates += sign * Math.round(clicks / count / unit)
      weights += sign * Math.round(impressions / count / unit)
    },
    value: () => (first.items * first.rate + unit * rates) / (first.items + unit * weights),
  }
}

/** As many impressions a typical rate is worth: few, because the rates of items differ widely. */
const priorStrength = 3
/** How many standard deviations above its mean a rate may well be. */
const optimism = 3

/**
 * Mean and deviations of Beta(c + m·s, n − c + (1 − m)·s), for a typical rate m. A reward may be reported for
 * an impression that does not count: there are never fewer impressions than clicks.
 */
export function optimisticRate(clicks: number, impressions: number, typicalRate: number): number {
  const count = Math.max(impressions, clicks) + priorStrength
  // Rewards without impressions may make a typical rate larger than 1.
  const rate = Math.min(1, (clicks + typicalRate * priorStrength) / count)
  return rate + optimism * Math.sqrt((rate * (1 - rate)) / (count + 1))
}

/** ln of an optimistic rate over that of an item that was never shown. */
export const optimisticRateFeature = (
  clicks: number,
  impressions: number,
  typicalRate: number,
): number =>
  Math.log(optimisticRate(clicks, impressions, typicalRate) / optimisticRate(0, 0, typicalRate))
