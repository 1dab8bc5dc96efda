// Figures of the service, its live stream, probes, Prometheus metrics and the OpenAPI document.

import type { OutgoingHttpHeaders } from 'node:http'
import { Type } from 'typebox'

import { summarizeQuality } from '../../metrics/quality.ts'
import type { Health, Service } from '../../service.ts'
import { openApiOf } from '../openapi.ts'
import { addRoute, at } from '../operations.ts'
import type { Guard, RouteFigures } from '../guard.ts'
import type { App } from '../server.ts'
import type { Prometheus } from '../prometheus.ts'
import { failures } from '../../schemas/failure.ts'
import { variantComparison, dataFigures, serviceMetrics, status } from '../../schemas/figures.ts'
import { qualityReport } from '../../schemas/quality.ts'
import * as t from '../../schemas/builders.ts'
import type { Stream } from '../stream.ts'

export function figureRoutes(
  app: App,
  service: Service,
  stream: Stream,
  figures: () => readonly RouteFigures[],
  hasDemo: boolean,
): void {
  addRoute(app, 'metrics', { answer: serviceMetrics }, () => service.metrics())
  addRoute(app, 'variants', { answer: variantComparison }, () => service.compareVariants())
  addRoute(app, 'data', { answer: dataFigures }, () => service.data())
  addRoute(app, 'quality', { answer: qualityReport }, () => ({ groups: service.quality() }))
  addRoute(app, 'status', { answer: status }, async () => {
    const { location } = service.store
    return {
      ...service.health(),
      store: { location, ...(await service.store.size()) },
      latencies: figures()
        .filter(({ latencies }) => latencies.count > 0)
        .map(percentiles),
      streams: stream.clients,
      excludeSeen: service.excludeSeen(),
      quality: service.quality().map(summarizeQuality),
      training: service.model.training(),
      demo: hasDemo,
    }
  })
  streamRoute(app, stream)
}

function streamRoute(app: App, stream: Stream): void {
  app.route({
    ...at('stream'),
    schema: {
      response: {
        200: Type.String({
          contentMediaType: 'text/event-stream',
          description:
            'Events: hello, recommendation, interaction, training, learning, model, log, metrics, ' +
            'run, import, dropped, closing.',
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
  const ms = (percent: number): number => latencies.percentile(percent) / 1e6
  return { route, requests: latencies.count, p50: ms(50), p95: ms(95), p99: ms(99), max: ms(100) }
}

// The route is open to everyone, so it does not list problems, which may name files.
const readiness = t.named('Readiness', {
  ready: t.boolean('Whether the service can serve and record.'),
  state: t.field(
    'The state; `degraded` serves and records, but has a problem.',
    t.oneOf('ready', 'degraded', 'failing', 'closed'),
  ),
})

function stateOf({ live, ready, problems }: Health) {
  if (ready) return problems.length === 0 ? 'ready' : 'degraded'
  return live ? 'failing' : 'closed'
}

export function machineRoutes(
  app: App,
  service: Service,
  prometheus: Prometheus,
  { schemas, requiresKey }: Guard,
): void {
  const health = t.named('Health', { live: t.boolean('Whether the process responds.') })
  addRoute(app, 'healthy', { answer: health }, () => ({ live: true }))

  app.route({
    ...at('ready'),
    schema: { response: { 200: readiness, 503: readiness, ...failures } },
    handler: async (_request, reply) => {
      const current = service.health()
      const { ready } = current
      return reply.code(ready ? 200 : 503).send({ ready, state: stateOf(current) })
    },
  })

  app.route({
    ...at('prometheus'),
    schema: { response: { 200: Type.String({ contentMediaType: 'text/plain' }), ...failures } },
    handler: async (_request, reply) =>
      reply.type(prometheus.contentType).send(await prometheus.text()),
  })

  // All routes have been added at the first request.
  addRoute(app, 'document', { answer: t.anyObject }, () => openApiOf(schemas, requiresKey()))
}
