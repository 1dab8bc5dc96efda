// Figures of a running service.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import type { DataFigures } from '../../metrics/data-figures.ts'
import type { VariantComparison, ServiceMetrics } from '../../metrics/metrics.ts'
import type { ExcludeSeenStatus } from '../../serving/seen-exclusion.ts'
import { trainingStatus } from '../routes/model.ts'
import { qualitySummary } from './quality.ts'
import {
  answers,
  closed,
  finite,
  flag,
  list,
  numberOrNull,
  oneOf,
  orNull,
  position,
  time,
  wholeNumber,
} from './words.ts'

const measured = {
  name: Type.String(),
  slates: wholeNumber(0),
  reward: numberOrNull,
  clickRate: numberOrNull,
  coverage: numberOrNull,
  gini: numberOrNull,
  explorationShare: numberOrNull,
}
const kind = { policy: orNull(Type.String()), method: orNull(Type.String()) }

export const serviceMetrics = answers<ServiceMetrics>()(
  closed(
    {
      window: wholeNumber(0),
      variants: list(closed({ ...measured, ...kind }, 'VariantFigures')),
      policies: list(closed(measured, 'Figures')),
      series: list(
        closed({
          time,
          seconds: wholeNumber(1),
          variant: Type.String(),
          slates: wholeNumber(0),
          reward: finite,
          clicks: finite,
        }),
      ),
    },
    'Metrics',
  ),
)

const interval = Type.Unsafe<readonly [number, number] | null>({
  type: ['array', 'null'],
  items: finite,
  description: 'a lower and an upper bound',
})

export const variantComparison = answers<VariantComparison>()(
  closed(
    {
      models: oneOf('own', 'shared'),
      measures: Type.String(),
      variants: list(
        closed({
          variant: Type.String(),
          ...kind,
          users: wholeNumber(0),
          slates: wholeNumber(0),
          reward: numberOrNull,
          interval,
        }),
      ),
      differences: list(
        closed({
          variant: Type.String(),
          against: Type.String(),
          difference: numberOrNull,
          interval,
        }),
      ),
    },
    'VariantComparison',
  ),
)

export const dataFigures = answers<DataFigures>()(
  closed(
    {
      users: wholeNumber(0),
      items: wholeNumber(0),
      interactions: wholeNumber(0),
      repeatRate: numberOrNull,
      first: numberOrNull,
      last: numberOrNull,
      eventsPerDay: list(closed({ day: Type.String(), count: wholeNumber(1) })),
      itemsWithoutInteractions: wholeNumber(0),
    },
    'Data',
  ),
)

export const status = closed(
  {
    live: flag,
    ready: flag,
    problems: list(Type.String()),
    position,
    items: wholeNumber(0),
    users: wholeNumber(0),
    startedAt: time,
    store: closed({ location: Type.String(), bytes: wholeNumber(0), events: wholeNumber(0) }),
    /** In milliseconds, of routes that were asked. */
    latencies: list(
      closed({
        route: Type.String(),
        requests: wholeNumber(0),
        p50: finite,
        p95: finite,
        p99: finite,
        max: finite,
      }),
    ),
    streams: wholeNumber(0),
    /** Of requests that do not set it. */
    excludeSeen: answers<ExcludeSeenStatus>()(
      closed(
        {
          mode: Type.Union([flag, oneOf('auto', 'taken', 'shown')]),
          excludes: flag,
          repeatRate: numberOrNull,
          interactions: wholeNumber(0),
        },
        'ExcludeSeen',
      ),
    ),
    /** How well each group ranks recent interactions. */
    quality: list(qualitySummary),
    /** Full training runs. */
    training: list(trainingStatus),
    /** Whether a simulated world runs against the service. */
    demo: flag,
  },
  'Status',
)

/** The status of a service, as `GET /v1/status` returns it. */
export type Status = Static<typeof status>
