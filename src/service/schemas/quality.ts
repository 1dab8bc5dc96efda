// How well recommendations rank what users choose.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import type { Blend } from '../../relevance/index.ts'
import * as t from './words.ts'

const quality = t.named('Quality', {
  examples: t.wholeNumber(0),
  hr10: t.finite,
  ndcg10: t.finite,
  mrr: t.finite,
  coverage: t.finite,
})
export const judged = { served: quality, model: quality, memory: quality, popularity: quality }
const judgedQuality = t.named('JudgedQuality', judged)

const blend = t.named('Blend', {
  weights: t.closed({
    model: t.finite,
    memory: t.finite,
    popularity: t.finite,
    clickRate: t.finite,
  }),
  /** The share of a transition that also counts in the opposite direction. */
  backward: Type.Unsafe<Blend['backward']>(
    Type.Union([0, 0.25, 0.5, 1].map((value) => Type.Literal(value))),
  ),
})

const serves = t.oneOf('blend', 'memory', 'popularity')

export const qualitySummary = t.named('QualitySummary', {
  group: Type.String(),
  serves,
  /** Recent interactions, ranked as they arrived, or those that a full training run held out. */
  judgedOn: t.oneOf('live', 'held-out'),
  examples: t.wholeNumber(0),
  /** HR@10 of what is served and of each part alone; null before the first judged interaction. */
  hr10: t.orNull(
    t.closed({ served: t.finite, model: t.finite, memory: t.finite, popularity: t.finite }),
  ),
  belowPopularity: t.orNull(t.flag),
})

/** A short form of the quality, for the status. */
export type QualitySummary = Static<typeof qualitySummary>

const qualityPoint = t.closed({
  time: t.time,
  position: t.position,
  version: t.wholeNumber(0),
  ...judged,
})

/** The quality of a model group at one moment. */
export type QualityPoint = Static<typeof qualityPoint>

const groupQuality = t.named('GroupQuality', {
  group: Type.String(),
  /** What is served: the fitted blend, or a part of it while the blend ranks clearly worse. */
  serves,
  /** Null where relevance is the model's alone. */
  blend: t.orNull(blend),
  /** Of recent interactions, each ranked before anything learned from it; null before the first. */
  live: t.orNull(judgedQuality),
  /** Whether what is served ranks clearly below popularity by `live`; null where that is of too few. */
  belowPopularity: t.orNull(t.flag),
  /**
   * Of interactions that a full training run held out: its new model, or before its end memory and
   * popularity alone, with a model that ranks nothing. Null before the first run.
   */
  heldOut: t.orNull(judgedQuality),
  /** The oldest first. */
  history: t.list(qualityPoint),
})

/** How well one model group ranks the items that users choose. */
export type GroupQuality = Static<typeof groupQuality>

export const qualityReport = t.named('QualityReport', { groups: t.list(groupQuality) })
