// The schemas of metrics, variant comparison, data figures and status.

import { Type, type Static } from 'typebox'

import { trainingStatus } from './model.ts'
import { qualitySummary } from './quality.ts'
import * as t from './builders.ts'

const measured = {
  name: t.string('The name of the variant or policy.'),
  slates: t.count('The number of slates, at most `window`.'),
  reward: t.numberOrNull('The mean total reward of a slate; null without slates.'),
  clickRate: t.numberOrNull(
    'The share of slates from which the user chose an item, with a reward above 0.',
  ),
  coverage: t.numberOrNull('The share of the catalog that was served.'),
  gini: t.numberOrNull(
    'The Gini coefficient of impressions: 0 if all items are equal, near 1 if one item has all.',
  ),
  explorationShare: t.numberOrNull("The mean share of an item's score that is not relevance."),
}
export const figures = t.named('Figures', measured)

/** Rolling figures of one variant or policy. A figure is null if there is no data for it. */
export type Figures = Static<typeof figures>

const kind = {
  policy: t.field('The policy; null if the settings have no such variant.', t.orNull(t.text)),
  method: t.field('The method; null if the settings have no such variant.', t.orNull(t.text)),
}
export const variantKind = t.closed(kind)

/** The model and the policy of a variant; null if only the log knows the variant. */
export type VariantKind = Static<typeof variantKind>

const variant = t.string('The name of the variant.')

export const seriesPoint = t.closed({
  time: t.moment('The start of the interval, in milliseconds since 1970.'),
  seconds: t.field('The length of the interval in seconds.', t.wholeNumber(1)),
  variant,
  slates: t.count('The slates that were served.'),
  reward: t.number('The sum of the rewards.'),
  clicks: t.number('The interactions with items of slates, with a reward above 0.'),
})

/**
 * One interval of a chart: one second in the last ten minutes, ten seconds before that, up to one
 * hour ago. Intervals without events are absent.
 */
export type SeriesPoint = Static<typeof seriesPoint>

export const serviceMetrics = t.named('Metrics', {
  window: t.count('The number of latest slates that the figures cover.'),
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
  users: t.count('The number of users with slates.'),
  slates: t.count('The number of slates.'),
  reward: t.numberOrNull('The mean reward per slate; null without slates.'),
  interval: t.field('Its 95% confidence interval over users; null if there are too few.', interval),
}
export const variantFigure = t.closed(compared)

/** The mean reward of a variant, with its 95% confidence interval. */
export type VariantFigure = Static<typeof variantFigure>

export const variantDifference = t.closed({
  variant,
  against: t.string('The variant that it is compared with.'),
  difference: t.numberOrNull('Its mean reward minus that of `against`.'),
  interval: t.field('The 95% confidence interval of the difference.', interval),
})

/** The difference in reward between two variants, with its 95% confidence interval. */
export type VariantDifference = Static<typeof variantDifference>

export const variantComparison = t.named('VariantComparison', {
  models: t.field('Whether each variant has its own model.', t.oneOf('own', 'shared')),
  measures: t.string('A sentence about what the comparison measures.'),
  variants: t.field('The mean reward of each variant.', t.list(t.closed({ ...compared, ...kind }))),
  differences: t.field('Each variant against the first.', t.list(variantDifference)),
})

/** The comparison of the variants of an A/B test. */
export type VariantComparison = Static<typeof variantComparison>

const repeatRate = t.numberOrNull(
  'The share of repeats among interactions that could have been repeats; null without any.',
)
const day = 'in milliseconds since 1970 (UTC); null without interactions.'

export const dataFigures = t.named('Data', {
  users: t.count('The number of users.'),
  items: t.count('The number of items in the catalog.'),
  interactions: t.count('Interactions with a reward above 0, including those of erased users.'),
  repeatRate,
  first: t.numberOrNull(`The start of the day of the first interaction, ${day}`),
  last: t.numberOrNull(`The start of the day of the last interaction, ${day}`),
  eventsPerDay: t.field(
    'Interactions on the last 400 days, oldest first, without empty days.',
    t.list(
      t.closed({
        day: t.string('The day (UTC), such as 2026-11-16.'),
        count: t.field('The number of interactions.', t.wholeNumber(1)),
      }),
    ),
  ),
  itemsWithoutInteractions: t.count('Items without interactions.'),
})

/** The size of the log and the catalog, and interactions per day. */
export type DataFigures = Static<typeof dataFigures>

export const excludeSeenStatus = t.named('ExcludeSeen', {
  mode: t.field(
    'The setting of the service.',
    Type.Union([t.flag, t.oneOf('auto', 'interacted', 'shown')]),
  ),
  excludes: t.boolean('Whether slates exclude items that the user has seen.'),
  repeatRate,
  interactions: t.count('Interactions that could have been repeats.'),
})

/** Which items requests without `excludeSeen` exclude, and the evidence for it. */
export type ExcludeSeenStatus = Static<typeof excludeSeenStatus>

export const sharingService = t.closed({
  name: t.string('Its host and process id.'),
  role: t.field('What it does besides serving.', t.oneOf('learner', 'follower')),
  position: t.field('The log position of its state.', t.position),
  joined: t.moment('When it joined, in milliseconds since 1970.'),
  silentMs: t.number(
    'Milliseconds since it last announced itself; a running service does so every second.',
  ),
  lagMs: t.numberOrNull(
    'Milliseconds since it was at the head of the log; null before its state is open.',
  ),
  versions: t.field(
    'The model versions that it serves.',
    t.list(t.closed({ group: t.string('The model group.'), version: t.count('The version.') })),
  ),
})

/** A service that shares a store with others. */
export type SharingServiceStatus = Static<typeof sharingService>

export const status = t.named('Status', {
  live: t.boolean('Whether the service is open.'),
  ready: t.boolean('Whether it can serve and record.'),
  problems: t.field(
    'Descriptions of everything that needs the operator; empty if all is well.',
    t.list(t.text),
  ),
  position: t.field('The log position of the state.', t.position),
  items: t.count('The number of items in the catalog.'),
  users: t.count('The number of users.'),
  startedAt: t.moment('When the service started, in milliseconds since 1970.'),
  role: t.field(
    'Whether this service trains: the only service of a store is its learner.',
    t.oneOf('learner', 'follower'),
  ),
  lagMs: t.number('Milliseconds since it was at the head of the log.'),
  services: t.field(
    'All services that share the store, this one included, oldest first; empty for a store of one service.',
    t.list(sharingService),
  ),
  store: t.field(
    'The store.',
    t.closed({
      location: t.string('The path of the store, or its address without the password.'),
      bytes: t.count('Its size in bytes.'),
      events: t.count('The number of events in the log.'),
    }),
  ),
  latencies: t.field(
    'The latencies of each requested route in milliseconds, at most a tenth too high.',
    t.list(
      t.closed({
        route: t.string('The method and the path of the route.'),
        requests: t.count('The number of requests.'),
        p50: t.number('The median.'),
        p95: t.number('The 95th percentile.'),
        p99: t.number('The 99th percentile.'),
        max: t.number('The longest latency.'),
      }),
    ),
  ),
  streams: t.count('The number of open streams.'),
  excludeSeen: t.field(
    'Which seen items slates exclude by default, and the evidence for it.',
    excludeSeenStatus,
  ),
  quality: t.field('The ranking quality of each model group.', t.list(qualitySummary)),
  training: t.field('The last full training run of each model group.', t.list(trainingStatus)),
  demo: t.boolean('Whether the server runs a demo.'),
})

/** The status of a service, as `GET /v1/status` returns it. */
export type Status = Static<typeof status>
