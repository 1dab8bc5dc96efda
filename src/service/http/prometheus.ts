// Metrics for Prometheus. Requests only increment plain counters; everything else is computed when
// Prometheus scrapes.

import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

import type { GroupQuality } from '../schemas/quality.ts'
import type { ModelApi, Service } from '../service.ts'
import type { Guard } from './guard.ts'

/** The counters of the handlers. */
export interface Tally {
  recommendations: number
  accepted: number
  repeated: number
  rejected: number
}

export type Prometheus = ReturnType<typeof createPrometheus>

/** Keeps the metrics out of the global registry of the process. */
const registers: Registry[] = []

type Labels = Readonly<Record<string, string>>
type Labeled = Iterable<readonly [labels: Labels, value: number]>
type ReadLabeled = () => Labeled | Promise<Labeled>

const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
  gauges(name, help, [], async () => [[{}, await read()]])
const gauges = (name: string, help: string, labelNames: string[], read: ReadLabeled) =>
  new Gauge({ name, help, labelNames, registers, collect: collecting(read) })
const counters = (name: string, help: string, labelNames: string[], read: ReadLabeled) =>
  new Counter({ name, help, labelNames, registers, collect: collecting(read) })

const collecting = (read: ReadLabeled) =>
  async function collect(this: { reset(): void; inc(labels: Labels, value: number): void }) {
    const values = await read()
    this.reset()
    for (const [labels, value] of values) this.inc(labels, value)
  }

export function createPrometheus(service: Service, guard: Guard, tally: Tally) {
  const registry = new Registry()
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const swaps = swapHistogram()
  const metrics = [
    ...answeredMetrics(guard, tally),
    ...modelMetrics(service),
    ...stateMetrics(service),
    ...processMetrics(),
    gauge(
      'ren_event_loop_lag_p99_seconds',
      'Delay of the event loop since the last scrape (99th percentile)',
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

const answeredMetrics = ({ figures, seconds }: Guard, tally: Tally) => [
  counters(
    'ren_http_requests_total',
    'Responses, by route and class of status',
    ['route', 'status'],
    () =>
      figures().flatMap(({ route, statuses }) =>
        Array.from(
          statuses,
          (count, hundred) => [{ route, status: `${hundred}xx` }, count] as const,
        ).filter(([, count]) => count > 0),
      ),
  ),
  seconds,
  counters('ren_recommendations_total', 'Served slates', [], () => [[{}, tally.recommendations]]),
  counters('ren_events_total', 'Received events, by outcome', ['outcome'], () =>
    (['accepted', 'repeated', 'rejected'] as const).map((outcome) => [{ outcome }, tally[outcome]]),
  ),
]

const modelMetrics = ({ model, quality }: Service) => [
  gauges('ren_model_version', 'The served model version, by model group', ['group'], () =>
    model.current().map(({ group, version }) => [{ group }, version]),
  ),
  gauges(
    'ren_quality',
    'Ranking quality of the served version: on recent interactions before anything learned from them ' +
      '(judged="live"), on those that no slate can have led to (judged="independent"), and on ' +
      'interactions that a full training run held out (judged="held-out")',
    ['group', 'version', 'judged', 'method', 'measure'],
    () => qualityValues(model, quality()),
  ),
  gauges(
    'ren_training_share',
    'Progress of a full training run from 0 to 1, by model group',
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
): Generator<[Labels, number]> {
  const versions = new Map(model.current().map((one) => [one.group, one.version]))
  for (const { group, live, independent, heldOut } of groups) {
    const version = String(versions.get(group))
    for (const [judged, figures] of Object.entries({ live, independent, 'held-out': heldOut })) {
      for (const [method, quality] of Object.entries<object>({ ...figures })) {
        for (const [measure, value] of Object.entries(quality)) {
          yield [{ group, version, judged, method, measure }, value]
        }
      }
    }
  }
}

const stateMetrics = (service: Service) => [
  gauge('ren_position', 'Log position of the last applied event', () => service.position),
  gauge('ren_items', 'Items in the catalog', () => service.items.count),
  gauge('ren_users', 'Users with data', () => service.users.count),
  gauge('ren_ready', '1 if the service can serve and record', () => Number(service.health().ready)),
  gauge('ren_problems', 'Number of problems in the status', () => service.health().problems.length),
  gauge('ren_learner', '1 if the service trains, 0 if another service of the store does', () =>
    Number(service.health().role === 'learner'),
  ),
  gauge(
    'ren_log_lag_seconds',
    'Time since the state was at the head of the log',
    () => service.health().lagMs / 1000,
  ),
  gauge(
    'ren_services',
    'Services that share the store; 0 for a store of one service',
    () => service.health().services.length,
  ),
  gauge('ren_store_bytes', 'Size of the store', async () => (await service.store.size()).bytes),
]

/** The metrics that Prometheus defines for every process. */
const processMetrics = () => [
  counters('process_cpu_seconds_total', 'CPU time of the process', [], () => {
    const { user, system } = process.cpuUsage()
    return [[{}, (user + system) / 1e6]]
  }),
  gauge('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss()),
  gauge(
    'process_start_time_seconds',
    'Start of the process, in seconds since 1970',
    () => performance.timeOrigin / 1000,
  ),
  // Only Linux lists them.
  gauges('process_open_fds', 'Open file descriptors', [], () =>
    readdir('/proc/self/fd').then(
      (open) => [[{}, open.length]],
      () => [],
    ),
  ),
]

const swapHistogram = () =>
  new Histogram({
    name: 'ren_model_swap_seconds',
    help: 'Time for which the swap of new weights blocked requests',
    buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05],
    registers,
  })
