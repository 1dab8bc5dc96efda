// The schemas of ranking quality.

import { Type, type Static } from 'typebox'

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

/** A number for each part of blended relevance. */
export const relevanceParts = t.closed({
  model: t.finite,
  memory: t.finite,
  popularity: t.finite,
  clickRate: t.finite,
})

const blend = t.named('Blend', {
  weights: relevanceParts,
  /** The share of a transition that also counts in the opposite direction. */
  backward: Type.Unsafe<Blend['backward']>(
    Type.Union([0, 0.25, 0.5, 1].map((value) => Type.Literal(value))),
  ),
  /** The powers of the row and column totals that divide transition counts. */
  normalization: t.closed({ rowPower: t.finite, columnPower: t.finite }),
})

const serves = t.oneOf('blend', 'memory', 'popularity')

/**
 * Recent interactions, ranked as they arrived; those among them that no slate can have led to; or
 * those that a full training run held out.
 */
const judgedOn = t.oneOf('live', 'independent', 'held-out')

export const qualitySummary = t.named('QualitySummary', {
  group: Type.String(),
  serves,
  judgedOn,
  examples: t.wholeNumber(0),
  /** HR@10 of the served ranking and of each part alone; null before the first judged interaction. */
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
  judgedOn: t.oneOf('live', 'held-out'),
  ...judged,
})

/** The quality of a model group at one moment. */
export type QualityPoint = Static<typeof qualityPoint>

const groupQuality = t.named('GroupQuality', {
  group: Type.String(),
  /** The served ranking: the fitted blend, or one part of it while the blend ranks clearly worse. */
  serves,
  /** Null without blended relevance. */
  blend: t.orNull(blend),
  /** On recent interactions, each ranked before anything learned from it; null before the first. */
  live: t.orNull(judgedQuality),
  /**
   * On those of `live` whose user was shown no slate on the day before, so that no slate favors a
   * ranking; null before the first.
   */
  independent: t.orNull(judgedQuality),
  /**
   * On interactions that a full training run held out; null before the first run. Until the run ends,
   * it covers memory and popularity alone.
   */
  heldOut: t.orNull(judgedQuality),
  /** The interactions that `belowPopularity` compares on. */
  judgedOn,
  /** Whether the served ranking is clearly below popularity; null with too few interactions. */
  belowPopularity: t.orNull(t.flag),
  /** Oldest first. */
  history: t.list(qualityPoint),
})

/** How well one model group ranks the items that users choose. */
export type GroupQuality = Static<typeof groupQuality>

export const qualityReport = t.named('QualityReport', { groups: t.list(groupQuality) })
