// The schemas of metrics, variant comparison, data figures and status.

import { Type, type Static } from 'typebox'

import { trainingStatus } from './model.ts'
import { qualitySummary } from './quality.ts'
import * as t from './words.ts'

const measured = {
  name: Type.String(),
  slates: t.wholeNumber(0),
  /** The mean total reward of a slate. */
  reward: t.numberOrNull,
  /** The share of slates with an interaction. */
  clickRate: t.numberOrNull,
  /** The share of the catalog that was served in the window. */
  coverage: t.numberOrNull,
  /** The Gini coefficient of impressions: 0 if all items are equal, near 1 if one item has all. */
  gini: t.numberOrNull,
  /** The mean share of an item's score that is not relevance. */
  explorationShare: t.numberOrNull,
}
const figures = t.named('Figures', measured)

/** Rolling figures of one variant or policy. A figure is null if there is no data for it. */
export type Figures = Static<typeof figures>

const kind = { policy: t.orNull(Type.String()), method: t.orNull(Type.String()) }
const variantKind = t.closed(kind)

/** The model and the policy of a variant; null if only the log knows the variant. */
export type VariantKind = Static<typeof variantKind>

const seriesPoint = t.closed({
  /** The start of the interval, in milliseconds since 1970. */
  time: t.time,
  /** The length of the interval. */
  seconds: t.wholeNumber(1),
  variant: Type.String(),
  slates: t.wholeNumber(0),
  reward: t.finite,
  clicks: t.finite,
})

/**
 * One interval of a chart: one second in the last ten minutes, ten seconds before that, up to one
 * hour ago. Intervals without events are absent.
 */
export type SeriesPoint = Static<typeof seriesPoint>

export const serviceMetrics = t.named('Metrics', {
  /** The number of last slates that the figures cover. */
  window: t.wholeNumber(0),
  variants: t.list(t.named('VariantFigures', { ...measured, ...kind })),
  policies: t.list(figures),
  series: t.list(seriesPoint),
})

/** Rolling figures of a service by variant and by policy, and a series for charts. */
export type ServiceMetrics = Static<typeof serviceMetrics>

const interval = Type.Unsafe<readonly [low: number, high: number] | null>({
  type: ['array', 'null'],
  items: t.finite,
  description: 'a lower and an upper bound',
})

const compared = {
  variant: Type.String(),
  users: t.wholeNumber(0),
  slates: t.wholeNumber(0),
  /** The mean reward per slate, with a 95 % confidence interval over users. */
  reward: t.numberOrNull,
  interval,
}
const variantFigure = t.closed(compared)

/** The mean reward of a variant, with its 95 % confidence interval. */
export type VariantFigure = Static<typeof variantFigure>

const variantDifference = t.closed({
  variant: Type.String(),
  against: Type.String(),
  difference: t.numberOrNull,
  interval,
})

/** The difference in reward between two variants, with its 95 % confidence interval. */
export type VariantDifference = Static<typeof variantDifference>

export const variantComparison = t.named('VariantComparison', {
  models: t.oneOf('own', 'shared'),
  /** A description of what the comparison measures. */
  measures: Type.String(),
  variants: t.list(t.closed({ ...compared, ...kind })),
  /** Each variant against the first. */
  differences: t.list(variantDifference),
})

/** The comparison of the variants of an A/B test. */
export type VariantComparison = Static<typeof variantComparison>

export const dataFigures = t.named('Data', {
  users: t.wholeNumber(0),
  items: t.wholeNumber(0),
  /** Interactions with a reward above 0, including those of erased users. */
  interactions: t.wholeNumber(0),
  /** See `ExcludeSeenStatus`. */
  repeatRate: t.numberOrNull,
  /** The start (UTC) of the days of the first and the last interaction; null without any. */
  first: t.numberOrNull,
  last: t.numberOrNull,
  /** Interactions per day (UTC, `2026-11-16`) of the last 400 days, oldest first, without empty days. */
  eventsPerDay: t.list(t.closed({ day: Type.String(), count: t.wholeNumber(1) })),
  itemsWithoutInteractions: t.wholeNumber(0),
})

/** The size of the log and the catalog, and interactions per day. */
export type DataFigures = Static<typeof dataFigures>

const excludeSeenStatus = t.named('ExcludeSeen', {
  mode: Type.Union([t.flag, t.oneOf('auto', 'interacted', 'shown')]),
  /** Whether slates exclude items that the user has seen. */
  excludes: t.flag,
  /** The share of repeats among `interactions`; null without any. */
  repeatRate: t.numberOrNull,
  /** Interactions that could have been repeats. */
  interactions: t.wholeNumber(0),
})

/** Which items requests without `excludeSeen` exclude, and the evidence for it. */
export type ExcludeSeenStatus = Static<typeof excludeSeenStatus>

export const status = t.named('Status', {
  live: t.flag,
  /** Whether it can serve and record. */
  ready: t.flag,
  /** Descriptions of everything that needs the operator's attention; empty if all is well. */
  problems: t.list(Type.String()),
  position: t.position,
  items: t.wholeNumber(0),
  users: t.wholeNumber(0),
  startedAt: t.time,
  store: t.closed({ location: Type.String(), bytes: t.wholeNumber(0), events: t.wholeNumber(0) }),
  /** In milliseconds, for each route that was requested. */
  latencies: t.list(
    t.closed({
      route: Type.String(),
      requests: t.wholeNumber(0),
      p50: t.finite,
      p95: t.finite,
      p99: t.finite,
      max: t.finite,
    }),
  ),
  streams: t.wholeNumber(0),
  excludeSeen: excludeSeenStatus,
  /** The ranking quality of each model group. */
  quality: t.list(qualitySummary),
  /** Full training runs. */
  training: t.list(trainingStatus),
  /** Whether the server runs a demo. */
  demo: t.flag,
})

/** The status of a service, as `GET /v1/status` returns it. */
export type Status = Static<typeof status>
