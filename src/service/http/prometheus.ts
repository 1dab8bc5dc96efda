// Figures for Prometheus, in a registry of the server's own. Counting is a plain addition; what
// scraping needs besides is made when somebody scrapes.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

import type { GroupQuality } from '../schemas/quality.ts'
import type { ModelApi, Service } from '../service.ts'
import type { Latencies } from './latencies.ts'

/** What a route has answered. */
export interface RouteFigures {
  readonly route: string
  readonly latencies: Latencies
  /** How many answers of each hundred: 2 for 200 to 299. */
  readonly statuses: Float64Array
}

/** What handlers count. */
export interface Tally {
  recommendations: number
  accepted: number
  repeated: number
  rejected: number
}

export interface Prometheus {
  readonly contentType: string
  text(): Promise<string>
  close(): void
}

/** Nothing goes into the registry that all of a process share. */
const registers: Registry[] = []

type Labelled = Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>

/** These are read when somebody scrapes. */
const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(await read())
    },
  })
const gauges = (name: string, help: string, labelNames: string[], read: () => Labelled) =>
  new Gauge({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [labels, value] of read()) this.set(labels, value)
    },
  })
const counters = (name: string, help: string, labelNames: string[], read: () => Labelled) =>
  new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [labels, value] of read()) this.inc(labels, value)
    },
  })

export function createPrometheus(
  service: Service,
  routes: readonly RouteFigures[],
  tally: Tally,
): Prometheus {
  const registry = new Registry()
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const swaps = swapHistogram()
  const metrics = [
    ...answeredMetrics(routes, tally),
    ...modelMetrics(service),
    ...stateMetrics(service),
    gauge(
      'ren_event_loop_lag_p99_seconds',
      'How late the event loop is since the last scrape',
      () => {
        const lag = delay.percentile(99) / 1e9
        delay.reset()
        return lag
      },
    ),
    swaps,
  ]
  for (const metric of metrics) registry.registerMetric(metric)
  const stop = service.subscribe((event) => {
    if (event.kind === 'learning' && event.outcome.swapMs !== null) {
      swaps.observe(event.outcome.swapMs / 1000)
    }
  }, 'learning')
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close() {
      stop()
      delay.disable()
    },
  }
}

const answeredMetrics = (routes: readonly RouteFigures[], tally: Tally) => [
  counters(
    'ren_http_requests_total',
    'Requests answered, by route and class of status',
    ['route', 'status'],
    () =>
      routes.flatMap(({ route, statuses }) =>
        Array.from(
          statuses,
          (count, hundred) => [{ route, status: `${hundred}xx` }, count] as const,
        ).filter(([, count]) => count > 0),
      ),
  ),
  new RouteLatencies(routes),
  counters('ren_recommendations_total', 'Slates that were answered', [], () => [
    [{}, tally.recommendations],
  ]),
  counters('ren_events_total', 'Events that were sent, by what became of them', ['outcome'], () =>
    (['accepted', 'repeated', 'rejected'] as const).map((outcome) => [{ outcome }, tally[outcome]]),
  ),
]

const modelMetrics = ({ model, quality }: Service) => [
  gauges(
    'ren_model_version',
    'The model version that serves, by group of variants',
    ['group'],
    () => model.current().map(({ group, version }) => [{ group }, version]),
  ),
  gauges(
    'ren_quality',
    'How well the served version ranks: recent interactions before anything learned from them ' +
      '(judged="live"), and interactions that a full training run held out (judged="held-out")',
    ['group', 'version', 'judged', 'method', 'measure'],
    () => qualityValues(model, quality()),
  ),
  gauges(
    'ren_training_share',
    'Share of a full training run that is done, by model group; 1 after its end',
    ['group'],
    () =>
      model.training().map(({ group, state, share }) => {
        const isOpen = state === 'running' || state === 'waiting'
        return [{ group }, isOpen ? share : 1]
      }),
  ),
]

function* qualityValues(
  model: ModelApi,
  groups: readonly GroupQuality[],
): Generator<readonly [Readonly<Record<string, string>>, number]> {
  const versions = new Map(model.current().map((one) => [one.group, one.version]))
  for (const { group, live, heldOut } of groups) {
    const version = String(versions.get(group))
    for (const [judged, figures] of Object.entries({ live, 'held-out': heldOut })) {
      for (const [method, quality] of Object.entries<object>({ ...figures })) {
        for (const [measure, value] of Object.entries(quality)) {
          yield [{ group, version, judged, method, measure }, value]
        }
      }
    }
  }
}

const stateMetrics = (service: Service) => [
  gauge('ren_position', 'Position of the last event that is served from', () => service.position),
  gauge('ren_items', 'Items of the catalog', () => service.items.count),
  gauge('ren_users', 'Users that something is known of', () => service.users.count),
  gauge('ren_ready', '1 where it can serve and record', () => Number(service.health().ready)),
  gauge(
    'ren_problems',
    'Things that are wrong, as the status names them',
    () => service.health().problems.length,
  ),
  gauge('ren_store_bytes', 'Size of the store', async () => (await service.store.size()).bytes),
]

const swapHistogram = () =>
  new Histogram({
    name: 'ren_model_swap_seconds',
    help: 'How long serving stood still to take in new weights',
    buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05],
    registers,
  })

const name = 'ren_http_request_seconds'
/** Bounds of buckets as powers of two microseconds: 64 µs to 17 s. */
const powers = Array.from({ length: 19 }, (_, i) => i + 6)

/** A histogram that is read off the routes' own counts instead of being kept a second time. */
class RouteLatencies extends Histogram<'route'> {
  readonly #routes: readonly RouteFigures[]

  constructor(routes: readonly RouteFigures[]) {
    super({ name, help: 'Time to answer', labelNames: ['route'], registers })
    this.#routes = routes
  }

  /** What the registry asks for. */
  async getForPromString() {
    const values = this.#routes.filter(({ latencies }) => latencies.count > 0).flatMap(valuesOf)
    return { name, help: 'Time to answer', type: 'histogram', values, aggregator: 'sum' }
  }
}

function valuesOf({ route, latencies }: RouteFigures) {
  const value = (suffix: string, count: number, labels: object = {}) => ({
    metricName: `${name}_${suffix}`,
    labels: { ...labels, route },
    value: count,
  })
  return [
    ...powers.map((power) => value('bucket', latencies.within(power), { le: 2 ** power / 1e6 })),
    value('bucket', latencies.count, { le: '+Inf' }),
    value('sum', latencies.sum / 1000),
    value('count', latencies.count),
  ]
}
