// Figures for Prometheus, in a registry of the server's own. Counting is a plain addition; what
// scraping needs besides is made when somebody scrapes.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

import type { Service } from '../service.ts'
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

export function createPrometheus(
  service: Service,
  routes: readonly RouteFigures[],
  tally: Tally,
): Prometheus {
  const registry = new Registry()
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    const collect = async function (this: Gauge): Promise<void> {
      this.set(await read())
    }
    registry.registerMetric(new Gauge({ name, help, registers, collect }))
  }

  registry.registerMetric(requestCounter(routes))
  registry.registerMetric(new RouteLatencies(routes))
  registry.registerMetric(recommendationCounter(tally))
  registry.registerMetric(eventCounter(tally))
  registry.registerMetric(versionGauge(service))
  registry.registerMetric(qualityGauge(service))
  registry.registerMetric(trainingGauge(service))
  gauge('ren_position', 'Position of the last event that is served from', () => service.position)
  gauge('ren_items', 'Items of the catalog', () => service.items.count)
  gauge('ren_users', 'Users that something is known of', () => service.users.count)
  gauge('ren_ready', '1 where it can serve and record', () => Number(service.health().ready))
  gauge(
    'ren_problems',
    'Things that are wrong, as the status names them',
    () => service.health().problems.length,
  )
  gauge('ren_store_bytes', 'Size of the store', async () => (await service.store.size()).bytes)
  gauge(
    'ren_event_loop_lag_p99_seconds',
    'How late the event loop is since the last scrape',
    () => {
      const lag = delay.percentile(99) / 1e9
      delay.reset()
      return lag
    },
  )
  const swaps = swapHistogram()
  registry.registerMetric(swaps)
  const stop = service.subscribe((event) => {
    if (event.kind === 'learning' && event.outcome.swapMs !== null) {
      swaps.observe(event.outcome.swapMs / 1000)
    }
  })

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close() {
      stop()
      delay.disable()
    },
  }
}

const requestCounter = (routes: readonly RouteFigures[]) =>
  new Counter({
    name: 'ren_http_requests_total',
    help: 'Requests answered, by route and class of status',
    labelNames: ['route', 'status'],
    registers,
    collect() {
      this.reset()
      for (const { route, statuses } of routes) {
        for (const [hundred, count] of statuses.entries()) {
          if (count > 0) this.inc({ route, status: `${hundred}xx` }, count)
        }
      }
    },
  })

const recommendationCounter = (tally: Tally) =>
  new Counter({
    name: 'ren_recommendations_total',
    help: 'Slates that were answered',
    registers,
    collect() {
      this.reset()
      this.inc(tally.recommendations)
    },
  })

const eventCounter = (tally: Tally) =>
  new Counter({
    name: 'ren_events_total',
    help: 'Events that were sent, by what became of them',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const outcome of ['accepted', 'repeated', 'rejected'] as const) {
        this.inc({ outcome }, tally[outcome])
      }
    },
  })

const versionGauge = (service: Service) =>
  new Gauge({
    name: 'ren_model_version',
    help: 'The model version that serves, by group of variants',
    labelNames: ['group'],
    registers,
    collect() {
      for (const { group, version } of service.model.current()) this.set({ group }, version)
    },
  })

const qualityGauge = (service: Service) =>
  new Gauge({
    name: 'ren_quality',
    help:
      'How well the served version ranks: recent interactions before anything learned from them ' +
      '(judged="live"), and interactions that a full training run held out (judged="held-out")',
    labelNames: ['group', 'version', 'judged', 'method', 'measure'],
    registers,
    collect() {
      this.reset()
      const versions = new Map(service.model.current().map((one) => [one.group, one.version]))
      for (const { group, live, heldOut } of service.quality()) {
        const version = String(versions.get(group))
        for (const [judged, figures] of Object.entries({ live, 'held-out': heldOut })) {
          for (const [method, quality] of Object.entries<object>({ ...figures })) {
            for (const [measure, value] of Object.entries(quality)) {
              this.set({ group, version, judged, method, measure }, value)
            }
          }
        }
      }
    },
  })

const trainingGauge = (service: Service) =>
  new Gauge({
    name: 'ren_training_share',
    help: 'Share of a full training run that is done, by model group; 1 after its end',
    labelNames: ['group'],
    registers,
    collect() {
      this.reset()
      for (const { group, state, share } of service.model.training()) {
        this.set({ group }, state === 'running' || state === 'waiting' ? share : 1)
      }
    },
  })

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
