// The schemas of ranking quality.

import { Type, type Static, type TSchema } from 'typebox'

import type { Blend } from '../../relevance/index.ts'
import * as t from './builders.ts'

export const hr10 = t.number('HR@10: the share ranked among the first 10.')
export const ndcg10 = t.number('NDCG@10: like HR@10, but higher ranks count more.')
const examples = t.count('The number of ranked interactions.')

const quality = t.named('Quality', {
  examples,
  hr10,
  ndcg10,
  mrr: t.number('The mean reciprocal rank.'),
  coverage: t.number('The share of the catalog in the first 10 ranks.'),
})

/** A value for the served ranking, and for each part of it alone. */
const ofRankings = <T extends TSchema>(value: T) => ({
  served: t.field('The ranking that is served.', value),
  model: t.field('The ranking by the model alone.', value),
  memory: t.field('The ranking by the transition memory alone.', value),
  popularity: t.field('The ranking by popularity and click rates alone.', value),
})
export const judged = ofRankings(quality)
const judgedQuality = t.named('JudgedQuality', judged)

/** A number for each part of blended relevance. */
export const relevanceParts = t.named('RelevanceParts', {
  model: t.number('The model.'),
  memory: t.number('The transition memory.'),
  popularity: t.number('Popularity.'),
  clickRate: t.number('The click rate.'),
})

const blend = t.named('Blend', {
  weights: t.field('The weight of each part.', relevanceParts),
  backward: t.field(
    'The share of a transition that also counts in the opposite direction.',
    Type.Unsafe<Blend['backward']>(
      Type.Union([0, 0.25, 0.5, 1].map((value) => Type.Literal(value))),
    ),
  ),
  normalization: t.field(
    'The powers of the totals that divide transition counts.',
    t.closed({
      rowPower: t.number('The power of the total of the earlier item.'),
      columnPower: t.number('The power of the total of the later item.'),
    }),
  ),
})

const serves = t.field(
  'The served ranking: the fitted blend, or one part of it while the blend ranks clearly worse.',
  t.oneOf('blend', 'memory', 'popularity'),
)
const judgedOn = t.field(
  'The ranked interactions: recent ones (`live`), those of them that no slate can have led to (`independent`), or those that full training held out.',
  t.oneOf('live', 'independent', 'held-out'),
)
const group = t.string('The model group.')
const belowPopularity = t.field(
  'Whether the served ranking is clearly worse than popularity; null with too few interactions.',
  t.orNull(t.flag),
)

export const qualitySummary = t.named('QualitySummary', {
  group,
  serves,
  judgedOn,
  examples,
  hr10: t.field(
    'HR@10 of the rankings; null before the first ranked interaction.',
    t.orNull(t.closed(ofRankings(t.finite))),
  ),
  belowPopularity,
})

/** A short form of the quality, for the status. */
export type QualitySummary = Static<typeof qualitySummary>

export const qualityPoint = t.closed({
  time: t.moment('The time, in milliseconds since 1970.'),
  position: t.field('The log position at that time.', t.position),
  version: t.count('The served model version.'),
  judgedOn: t.field(
    'The ranked interactions: recent ones, or those that full training held out.',
    t.oneOf('live', 'held-out'),
  ),
  ...judged,
})

/** The quality of a model group at one moment. */
export type QualityPoint = Static<typeof qualityPoint>

export const groupQuality = t.named('GroupQuality', {
  group,
  serves,
  blend: t.field('The fitted blend; null if relevance is not blended.', t.orNull(blend)),
  live: t.field(
    'The quality on recent interactions, each ranked before anything learned from it; null before the first.',
    t.orNull(judgedQuality),
  ),
  independent: t.field(
    'The quality on those of `live` whose user was shown no slate on the day before, so that no slate favors a ranking; null before the first.',
    t.orNull(judgedQuality),
  ),
  heldOut: t.field(
    'The quality on interactions that full training held out; null before the first run, and after a rollback to a version without this quality. Until the first run ends, it covers memory and popularity alone.',
    t.orNull(judgedQuality),
  ),
  judgedOn,
  belowPopularity,
  history: t.field('The quality over time, oldest first.', t.list(qualityPoint)),
})

/** How well one model group ranks the items that users choose. */
export type GroupQuality = Static<typeof groupQuality>

export const qualityReport = t.named('QualityReport', {
  groups: t.field('The ranking quality of each model group.', t.list(groupQuality)),
})
