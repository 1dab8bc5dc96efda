// Whether a model is worth serving, by what a blend that was fitted with it finds in interactions
// that the model did not learn from.

import type { Random } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { loadModel } from '../models/index.ts'
import { gainOf, isClearlyBelow, qualityOf } from '../relevance/index.ts'
import type { Blend } from '../relevance/index.ts'
import type { FittedBlend, JudgedBlend } from './fit-blend.ts'
import { fitBlend } from './fit-blend.ts'
import type { TrainedModel } from './full-training.ts'
import { modelRanks } from './held-out.ts'
import type { Ranking } from './held-out.ts'
import type { JudgedQuality } from './prequential.ts'

/** A blend is above its other parts from this many times their NDCG@10 on. */
const clearlyBetter = 1.02
/** NDCG@10 that a model must have, in multiples of what a random order has. */
const minOverChance = 2
/** In a smaller catalog, any order has much of what the best one has. */
const minItems = 40

/** Over the first ten ranks: the NDCG@10 of a random order times the items. */
const chanceGain = Array.from({ length: 10 }, (_, place) => gainOf(place + 1)).reduce(
  (sum, gain) => sum + gain,
)

/**
 * Returns why a model is refused, or null if it is not. Constant scores and shuffled weights are
 * refused whatever serves, since they rank nothing. A good model beside a memory that explains
 * everything is not.
 */
export function refusalOf({ quality }: FittedBlend, itemCount: number): string | null {
  const { served, model, memory, popularity } = quality
  const others = Math.max(memory.ndcg10, popularity.ndcg10)
  const figures = `NDCG@10 of the model ${model.ndcg10.toFixed(3)}, with the other parts ${served.ndcg10.toFixed(3)}, without it ${others.toFixed(3)}`
  // Ties count against an item, so that constant scores gain nothing.
  if (!(model.ndcg10 > 0)) return `the model gives no order (${figures})`
  if (isClearlyBelow(served.ndcg10, others)) return `relevance is worse with the model (${figures})`
  if (itemCount < minItems) return null
  const least = Math.max(popularity.ndcg10, (minOverChance * chanceGain) / itemCount)
  const isUseless = model.ndcg10 < least && served.ndcg10 < clearlyBetter * others
  return isUseless ? `the model ranks below popularity or chance (${figures})` : null
}

// Judges the model of a full training run on the interactions that were held out of it: beside the
// model that serves, and blended with memory and popularity.

/** The comparison of a newly trained model with the served one on held-out interactions. */
export interface Judgment {
  /** The new model alone. */
  readonly after: Ranking
  /** The model that serves. It may have learned from some of the held-out interactions. */
  readonly before: Ranking
  /** Whether the new model is to be adopted. */
  readonly better: boolean
  /** Why it is not. */
  readonly refusal: string | null
  /** The weights that go with the new model, fitted on half of the held-out interactions. */
  readonly blend: Blend
  /** On the other half; `served` is the blend. */
  readonly quality: JudgedQuality
}

/**
 * The model that serves may have learned from held-out interactions, and the new one has not: so
 * the new one may be this much below it.
 */
const handicap = 0.02

/**
 * @param served The weights that serve.
 * @param isChosen Whether somebody chose them, by a model file: then the new ones must be better beyond
 * noise.
 */
export function judgeTrainedModel(
  engine: Engine,
  { model, heldOut, validation: after }: TrainedModel,
  served: Uint8Array,
  random: Random,
  isChosen = false,
): Judgment {
  const ranksBefore = modelRanks(loadModel(engine, served).model, heldOut)
  const before = qualityOf(ranksBefore)
  const { itemCount } = model
  const fitted = fitBlend({ heldOut, itemCount, model, random })
  const isNoise = isChosen && !isBeyondNoise(modelRanks(model, heldOut), ranksBefore)
  // A model without any order, such as a constant one, has no gain at all.
  const isBelow = !(after.ndcg10 > 0) || after.ndcg10 < (1 - handicap) * before.ndcg10
  const refusal = isBelow
    ? 'it does not rank better than the model that serves'
    : isNoise
      ? 'it does not rank better than the model of the file, beyond noise'
      : (refusalOf(fitted, itemCount) ?? noGainOf(fitted))
  const { blend, quality } = fitted
  return { after, before, better: refusal === null, refusal, blend, quality }
}

/**
 * Why a model is not worth serving beside memory and popularity; null where it is. The weights are
 * fitted to the likelihood of choices, so the blend may miss a part's NDCG@10 by chance: it is refused
 * only where it is lower by more than a standard error.
 */
function noGainOf({ quality: { served, memory, popularity }, ranks }: JudgedBlend): string | null {
  const other = memory.ndcg10 >= popularity.ndcg10 ? 'memory' : 'popularity'
  const { mean, error } = gainOver(ranks.served, ranks[other])
  if (!(mean < -error)) return null
  const others = Math.max(memory.ndcg10, popularity.ndcg10)
  const figures = `NDCG@10 ${served.ndcg10.toFixed(3)}, without it ${others.toFixed(3)}`
  return `relevance does not rank better with the model (${figures})`
}

/** Whether the mean gain is more than two standard errors of the differences larger. */
function isBeyondNoise(ranks: Int32Array, others: Int32Array): boolean {
  const { mean, error } = gainOver(ranks, others)
  return mean > 2 * error
}

/** The mean difference in NDCG@10 of paired ranks, and its standard error. */
function gainOver(ranks: ArrayLike<number>, others: ArrayLike<number>) {
  const differences = Array.from(ranks, (rank, test) => gainOf(rank) - gainOf(others[test]!))
  const { length } = differences
  const mean = differences.reduce((sum, one) => sum + one, 0) / length
  const squares = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / Math.max(1, length - 1) / length) }
}
