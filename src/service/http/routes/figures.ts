// Figures of the service, its live stream, probes, Prometheus metrics and the OpenAPI document.

import type { OutgoingHttpHeaders } from 'node:http'
import { Type } from 'typebox'

import { summarizeQuality } from '../../metrics/quality.ts'
import type { Health, Service } from '../../service.ts'
import { openApiOf } from '../openapi.ts'
import type { Json } from '../openapi.ts'
import { addRead, at } from '../operations.ts'
import type { App, Guard } from '../guard.ts'
import type { Prometheus, RouteFigures } from '../prometheus.ts'
import { failures } from '../../schemas/failure.ts'
import { variantComparison, dataFigures, serviceMetrics, status } from '../../schemas/figures.ts'
import { qualityReport } from '../../schemas/quality.ts'
import * as t from '../../schemas/words.ts'
import type { Stream } from '../stream.ts'

export function figureRoutes(
  app: App,
  service: Service,
  stream: Stream,
  figures: readonly RouteFigures[],
  hasDemo: boolean,
): void {
  statusRoute(app, service, stream, figures, hasDemo)

  addRead(app, 'metrics', serviceMetrics, () => service.metrics())

  addRead(app, 'variants', variantComparison, () => service.compareVariants())

  addRead(app, 'data', dataFigures, () => service.data())

  addRead(app, 'quality', qualityReport, () => ({ groups: service.quality() }))
  streamRoute(app, stream)
}

function statusRoute(
  app: App,
  service: Service,
  stream: Stream,
  figures: readonly RouteFigures[],
  hasDemo: boolean,
): void {
  addRead(app, 'status', status, async () => {
    const { problems, ...health } = service.health()
    const { location } = service.store
    return {
      ...health,
      problems: [...problems],
      store: { location, ...(await service.store.size()) },
      latencies: figures.filter(({ latencies }) => latencies.count > 0).map(percentiles),
      streams: stream.clients,
      excludeSeen: service.excludeSeen(),
      quality: service.quality().map(summarizeQuality),
      training: [...service.model.training()],
      demo: hasDemo,
    }
  })
}

function streamRoute(app: App, stream: Stream): void {
  app.route({
    ...at('stream'),
    schema: {
      response: {
        200: Type.String({
          contentMediaType: 'text/event-stream',
          description:
            'events: hello, served, feedback, training, learning, model, log, metrics, run, ' +
            'import, dropped, closing',
        }),
        ...failures,
      },
    },
    handler: ({ keyId }, reply) => {
      reply.hijack()
      stream.add(reply.raw, { key: keyId, headers: reply.getHeaders() as OutgoingHttpHeaders })
    },
  })
}

function percentiles({ route, latencies }: RouteFigures) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => latencies.quantile(share))
  return { route, requests: latencies.count, p50: p50!, p95: p95!, p99: p99!, max: latencies.max }
}

// Probes, Prometheus metrics and the OpenAPI document.

// Anyone may ask, so the answer is one word. Problems may name files: only the status lists them.
const readiness = t.named('Readiness', {
  ready: t.flag,
  state: t.oneOf('ready', 'ailing', 'failing', 'closed'),
})

function stateOf({ live, ready, problems }: Health) {
  if (ready) return problems.length === 0 ? 'ready' : 'ailing'
  return live ? 'failing' : 'closed'
}

export function machineRoutes(
  app: App,
  service: Service,
  prometheus: Prometheus,
  schemas: Guard['schemas'],
): void {
  addRead(app, 'healthy', t.named('Health', { live: t.flag }), () => ({ live: true }))

  app.route({
    ...at('ready'),
    schema: { response: { 200: readiness, 503: readiness, ...failures } },
    handler: async (_request, reply) => {
      const health = service.health()
      const { ready } = health
      return reply.code(ready ? 200 : 503).send({ ready, state: stateOf(health) })
    },
  })

  app.route({
    ...at('prometheus'),
    schema: { response: { 200: Type.String({ contentMediaType: 'text/plain' }), ...failures } },
    handler: async (_request, reply) =>
      reply.type(prometheus.contentType).send(await prometheus.text()),
  })

  let document: Json | null = null
  // Once all routes are there.
  addRead(app, 'document', t.anyObject, () => (document ??= openApiOf(schemas)))
}
