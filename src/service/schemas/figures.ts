// The schemas of metrics, variant comparison, data figures and status.

import { Type, type Static } from 'typebox'

import { trainingStatus } from './model.ts'
import { qualitySummary } from './quality.ts'
import * as t from './words.ts'

const measured = {
  name: t.field('The name of the variant or policy.', t.text),
  slates: t.field('The number of slates, at most `window`.', t.wholeNumber(0)),
  reward: t.field('The mean total reward of a slate; null without slates.', t.numberOrNull),
  clickRate: t.field('The share of slates with an interaction.', t.numberOrNull),
  coverage: t.field('The share of the catalog that was served.', t.numberOrNull),
  gini: t.field(
    'The Gini coefficient of impressions: 0 if all items are equal, near 1 if one item has all.',
    t.numberOrNull,
  ),
  explorationShare: t.field(
    "The mean share of an item's score that is not relevance.",
    t.numberOrNull,
  ),
}
const figures = t.named('Figures', measured)

/** Rolling figures of one variant or policy. A figure is null if there is no data for it. */
export type Figures = Static<typeof figures>

const kind = {
  policy: t.field('The policy; null if the settings have no such variant.', t.orNull(t.text)),
  method: t.field('The method; null if the settings have no such variant.', t.orNull(t.text)),
}
const variantKind = t.closed(kind)

/** The model and the policy of a variant; null if only the log knows the variant. */
export type VariantKind = Static<typeof variantKind>

const variant = t.field('The name of the variant.', t.text)

const seriesPoint = t.closed({
  time: t.field('The start of the interval, in milliseconds since 1970.', t.time),
  seconds: t.field('The length of the interval in seconds.', t.wholeNumber(1)),
  variant,
  slates: t.field('The slates that were served.', t.wholeNumber(0)),
  reward: t.field('The sum of the rewards.', t.finite),
  clicks: t.field('The interactions with items of slates.', t.finite),
})

/**
 * One interval of a chart: one second in the last ten minutes, ten seconds before that, up to one
 * hour ago. Intervals without events are absent.
 */
export type SeriesPoint = Static<typeof seriesPoint>

export const serviceMetrics = t.named('Metrics', {
  window: t.field('The number of latest slates that the figures cover.', t.wholeNumber(0)),
  variants: t.field(
    'Figures of each variant.',
    t.list(t.named('VariantFigures', { ...measured, ...kind })),
  ),
  policies: t.field('Figures of each policy.', t.list(figures)),
  series: t.field('Sums per variant and interval of the last hour.', t.list(seriesPoint)),
})

/** Rolling figures of a service by variant and by policy, and a series for charts. */
export type ServiceMetrics = Static<typeof serviceMetrics>

const interval = Type.Unsafe<readonly [low: number, high: number] | null>({
  type: ['array', 'null'],
  items: t.finite,
  expected: 'a lower and an upper bound',
})

const compared = {
  variant,
  users: t.field('The number of users with slates.', t.wholeNumber(0)),
  slates: t.field('The number of slates.', t.wholeNumber(0)),
  reward: t.field('The mean reward per slate; null without slates.', t.numberOrNull),
  interval: t.field('Its 95% confidence interval over users; null if there are too few.', interval),
}
const variantFigure = t.closed(compared)

/** The mean reward of a variant, with its 95% confidence interval. */
export type VariantFigure = Static<typeof variantFigure>

const variantDifference = t.closed({
  variant,
  against: t.field('The variant that it is compared with.', t.text),
  difference: t.field('Its mean reward minus that of `against`.', t.numberOrNull),
  interval: t.field('The 95% confidence interval of the difference.', interval),
})

/** The difference in reward between two variants, with its 95% confidence interval. */
export type VariantDifference = Static<typeof variantDifference>

export const variantComparison = t.named('VariantComparison', {
  models: t.field('Whether each variant has its own model.', t.oneOf('own', 'shared')),
  measures: t.field('A sentence about what the comparison measures.', t.text),
  variants: t.field('The mean reward of each variant.', t.list(t.closed({ ...compared, ...kind }))),
  differences: t.field('Each variant against the first.', t.list(variantDifference)),
})

/** The comparison of the variants of an A/B test. */
export type VariantComparison = Static<typeof variantComparison>

const repeatRate = t.field(
  'The share of repeats among interactions that could have been repeats; null without any.',
  t.numberOrNull,
)
const day = 'in milliseconds since 1970 (UTC); null without interactions.'

export const dataFigures = t.named('Data', {
  users: t.field('The number of users.', t.wholeNumber(0)),
  items: t.field('The number of items in the catalog.', t.wholeNumber(0)),
  interactions: t.field(
    'Interactions with a reward above 0, including those of erased users.',
    t.wholeNumber(0),
  ),
  repeatRate,
  first: t.field(`The start of the day of the first interaction, ${day}`, t.numberOrNull),
  last: t.field(`The start of the day of the last interaction, ${day}`, t.numberOrNull),
  eventsPerDay: t.field(
    'Interactions on the last 400 days, oldest first, without empty days.',
    t.list(
      t.closed({
        day: t.field('The day (UTC), such as 2026-11-16.', t.text),
        count: t.field('The number of interactions.', t.wholeNumber(1)),
      }),
    ),
  ),
  itemsWithoutInteractions: t.field('Items without interactions.', t.wholeNumber(0)),
})

/** The size of the log and the catalog, and interactions per day. */
export type DataFigures = Static<typeof dataFigures>

const excludeSeenStatus = t.named('ExcludeSeen', {
  mode: t.field(
    'The setting of the service.',
    Type.Union([t.flag, t.oneOf('auto', 'interacted', 'shown')]),
  ),
  excludes: t.field('Whether slates exclude items that the user has seen.', t.flag),
  repeatRate,
  interactions: t.field('Interactions that could have been repeats.', t.wholeNumber(0)),
})

/** Which items requests without `excludeSeen` exclude, and the evidence for it. */
export type ExcludeSeenStatus = Static<typeof excludeSeenStatus>

export const status = t.named('Status', {
  live: t.field('Whether the service is open.', t.flag),
  ready: t.field('Whether it can serve and record.', t.flag),
  problems: t.field(
    'Descriptions of everything that needs the operator; empty if all is well.',
    t.list(t.text),
  ),
  position: t.field('The log position of the state.', t.position),
  items: t.field('The number of items in the catalog.', t.wholeNumber(0)),
  users: t.field('The number of users.', t.wholeNumber(0)),
  startedAt: t.field('When the service started, in milliseconds since 1970.', t.time),
  store: t.field(
    'The store.',
    t.closed({
      location: t.field('The file of the store, or `:memory:`.', t.text),
      bytes: t.field('Its size in bytes.', t.wholeNumber(0)),
      events: t.field('The number of events in the log.', t.wholeNumber(0)),
    }),
  ),
  latencies: t.field(
    'The latencies of each requested route in milliseconds, at most a tenth too high.',
    t.list(
      t.closed({
        route: t.field('The method and the path of the route.', t.text),
        requests: t.field('The number of requests.', t.wholeNumber(0)),
        p50: t.field('The median.', t.finite),
        p95: t.field('The 95th percentile.', t.finite),
        p99: t.field('The 99th percentile.', t.finite),
        max: t.field('The longest latency.', t.finite),
      }),
    ),
  ),
  streams: t.field('The number of open streams.', t.wholeNumber(0)),
  excludeSeen: t.field(
    'Which seen items slates exclude by default, and the evidence for it.',
    excludeSeenStatus,
  ),
  quality: t.field('The ranking quality of each model group.', t.list(qualitySummary)),
  training: t.field('The last full training run of each model group.', t.list(trainingStatus)),
  demo: t.field('Whether the server runs a demo.', t.flag),
})

/** The status of a service, as `GET /v1/status` returns it. */
export type Status = Static<typeof status>
