// Decides whether to serve a model, by the ranking quality of the model and of a blend fitted with
// it, on interactions that the model did not learn from.

import type { Engine } from '../kernels/index.ts'
import { loadModel } from '../models/index.ts'
import { mean, standardError, sum } from '../core/statistics.ts'
import { defaultBlend, gainOf, isClearlyBelow, qualityOf } from '../relevance/index.ts'
import { fitBlend } from './fit-blend.ts'
import type { FitBlendOptions, FittedBlend, JudgedBlend, ServedBlend } from './fit-blend.ts'
import type { TrainedModel } from './full-training.ts'
import { modelRanks, type Ranking } from './held-out.ts'

/** A blend is better than its other parts if its NDCG@10 is at least this many times theirs. */
const clearlyBetter = 1.02
/** The minimum NDCG@10 of a model, as a multiple of that of a random order. */
const minOverChance = 2
/** In a smaller catalog, a random order already has a high NDCG@10. */
const minItems = 40

/**
 * The sum of gains over the first ten ranks: the NDCG@10 of a random order times the number of
 * items.
 */
const chanceGain = sum(Array.from({ length: 10 }, (_, place) => gainOf(place + 1)))

/**
 * Returns why a model is refused, or null. It always refuses constant scores and shuffled weights.
 * It accepts a good model even if the memory explains everything.
 */
export function refusalOf(fitted: JudgedBlend, itemCount: number): string | null {
  const { served, model, memory, popularity } = fitted.quality
  const others = Math.max(memory.ndcg10, popularity.ndcg10)
  const figures = `NDCG@10 of the model ${model.ndcg10.toFixed(3)}, with the other parts ${served.ndcg10.toFixed(3)}, without it ${others.toFixed(3)}`
  // Ties count against an item, so constant scores have no gain.
  if (!(model.ndcg10 > 0)) return `the model does not rank (${figures})`
  if (isClearlyBelow(served.ndcg10, others) && isLoss(fitted, 2)) {
    return `relevance is worse with the model (${figures})`
  }
  if (itemCount < minItems) return null
  const least = Math.max(popularity.ndcg10, (minOverChance * chanceGain) / itemCount)
  const isUseless = model.ndcg10 < least && served.ndcg10 < clearlyBetter * others
  return isUseless ? `the model ranks below popularity or chance (${figures})` : null
}

/** Returns why an imported model is refused, or null. */
export function importRefusalOf(
  { blend, quality, ranks, isFitted }: ServedBlend,
  itemCount: number,
): string | null {
  if (quality === undefined || ranks === undefined) return null
  if (isFitted) return refusalOf({ blend, quality, ranks }, itemCount)
  // NDCG@10 of few interactions is mostly noise, so compare the mean rank with that of a random order.
  const place = mean(ranks.model.map((rank) => rank / itemCount))
  const noise = uniformDeviation / Math.sqrt(ranks.model.length)
  if (place < 0.5 - 2 * noise) return null
  return `the model does not rank better than chance (${ranks.model.length} interactions)`
}

/** The standard deviation of a uniform distribution over 0 to 1. */
const uniformDeviation = Math.sqrt(1 / 12)

/**
 * Fits a blend of memory and popularity. If its weights rank worse than one of the two by more than a
 * standard error, it has the default weights instead.
 */
export function fitBaseline(options: Omit<FitBlendOptions, 'model' | 'weights'>): FittedBlend {
  const fitted = fitBlend({ ...options, model: null })
  if (!isLoss(fitted, 1)) return fitted
  return fitBlend({ ...options, model: null, weights: defaultBlend.weights })
}

/** The comparison of a newly trained model with the served one on held-out interactions. */
export interface Judgment extends FittedBlend {
  /** The quality of the new model alone. */
  readonly after: Ranking
  /**
   * The quality of the served model, which may have learned from some of the held-out interactions.
   */
  readonly before: Ranking
  /** Whether to adopt the new model. */
  readonly better: boolean
  /** Why not; null if `better`. */
  readonly refusal: string | null
}

/**
 * The share of NDCG@10 by which the new model may be below the served one, which may have learned
 * from held-out interactions.
 */
const handicap = 0.02

/**
 * Judges the model of a full training run on held-out interactions, against the served model, and
 * blended with memory and popularity.
 *
 * @param served The served weights.
 * @param isChosen Whether the served weights come from a model file. Then the new model must be
 *   better by
 *   more than noise.
 */
export function judgeTrainedModel(
  engine: Engine,
  { model, heldOut, validation: after }: TrainedModel,
  served: Uint8Array,
  isChosen = false,
): Judgment {
  const ranksBefore = modelRanks(loadModel(engine, served).model, heldOut)
  const before = qualityOf(ranksBefore)
  const { itemCount } = model
  const fitted = fitBlend({ heldOut, itemCount, model })
  const isNoise = isChosen && !isBeyondNoise(modelRanks(model, heldOut), ranksBefore)
  // A model with constant scores has no gain.
  const isBelow = !(after.ndcg10 > 0) || after.ndcg10 < (1 - handicap) * before.ndcg10
  const refusal = isBelow
    ? 'it does not rank better than the served model'
    : isNoise
      ? 'its gain over the model file is not beyond noise'
      : (refusalOf(fitted, itemCount) ?? noGainOf(fitted))
  const { blend, quality } = fitted
  return { after, before, better: refusal === null, refusal, blend, quality }
}

/**
 * Returns why a model does not improve on memory and popularity, or null. The weights maximize the
 * likelihood of choices, so by chance the blend may have a lower NDCG@10 than one of its parts. The
 * difference must exceed one standard error.
 */
function noGainOf(judged: JudgedBlend): string | null {
  if (!isLoss(judged, 1)) return null
  const { served, memory, popularity } = judged.quality
  const others = Math.max(memory.ndcg10, popularity.ndcg10)
  const figures = `NDCG@10 ${served.ndcg10.toFixed(3)}, without it ${others.toFixed(3)}`
  return `relevance does not rank better with the model (${figures})`
}

/** Whether the blend is worse than the better of its other parts by more than this many standard errors. */
function isLoss({ quality: { memory, popularity }, ranks }: JudgedBlend, errors: number): boolean {
  const other = memory.ndcg10 >= popularity.ndcg10 ? 'memory' : 'popularity'
  const gains = gainsOver(ranks.served, ranks[other])
  return mean(gains) < -errors * standardError(gains)
}

/** Whether the mean gain exceeds two standard errors. */
function isBeyondNoise(ranks: Int32Array, others: Int32Array): boolean {
  const gains = gainsOver(ranks, others)
  return mean(gains) > 2 * standardError(gains)
}

/** Returns the differences in NDCG@10 of paired ranks. */
const gainsOver = (ranks: ArrayLike<number>, others: ArrayLike<number>): number[] =>
  Array.from(ranks, (rank, test) => gainOf(rank) - gainOf(others[test]!))
