// Figures of the service, its live stream, probes, Prometheus metrics and the OpenAPI document.

import type { OutgoingHttpHeaders } from 'node:http'
import { Type } from 'typebox'

import { summarizeQuality } from '../../metrics/quality.ts'
import type { GroupQuality } from '../../metrics/quality.ts'
import type { Health } from '../../service.ts'
import { openApiOf } from '../openapi.ts'
import type { Json } from '../openapi.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { variantComparison, dataFigures, serviceMetrics, status } from '../schemas/figures.ts'
import { qualityReport } from '../schemas/quality.ts'
import { anyObject, closed, flag, oneOf } from '../schemas/words.ts'
import type { Stream } from '../stream.ts'

export function figureRoutes(app: App, parts: Parts): void {
  const { service, stream } = parts
  statusRoute(app, parts)

  app.route({
    ...at('metrics'),
    schema: { response: { 200: serviceMetrics, ...failures } },
    handler: async () => service.metrics(),
  })

  app.route({
    ...at('variants'),
    schema: { response: { 200: variantComparison, ...failures } },
    handler: async () => service.compareVariants(),
  })

  app.route({
    ...at('data'),
    schema: { response: { 200: dataFigures, ...failures } },
    handler: async () => service.data(),
  })

  app.route({
    ...at('quality'),
    schema: { response: { 200: qualityReport, ...failures } },
    handler: async () => ({ groups: service.quality().map(plain) }),
  })
  streamRoute(app, stream)
}

function statusRoute(app: App, { service, stream, figures, demo }: Parts): void {
  app.route({
    ...at('status'),
    schema: { response: { 200: status, ...failures } },
    handler: async () => {
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
        demo: demo !== undefined,
      }
    },
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

/** Serializers want arrays that may be written to. */
const plain = ({ history, ...group }: GroupQuality) => ({ ...group, history: [...history] })

function percentiles({ route, latencies }: Parts['figures'][number]) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => latencies.quantile(share))
  return { route, requests: latencies.count, p50: p50!, p95: p95!, p99: p99!, max: latencies.max }
}

// Probes, Prometheus metrics and the OpenAPI document.

// Anyone may ask, so the answer is one word. Problems may name files: only the status lists them.
const readiness = closed(
  { ready: flag, state: oneOf('ready', 'ailing', 'failing', 'closed') },
  'Readiness',
)
const healthy = { live: true }

function stateOf({ live, ready, problems }: Health) {
  if (ready) return problems.length === 0 ? 'ready' : 'ailing'
  return live ? 'failing' : 'closed'
}

export function machineRoutes(app: App, { service, prometheus, schemas }: Parts): void {
  app.route({
    ...at('healthy'),
    schema: { response: { 200: closed({ live: flag }, 'Health'), ...failures } },
    handler: (_request, reply) => {
      reply.send(healthy)
    },
  })

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
  app.route({
    ...at('document'),
    schema: { response: { 200: anyObject, ...failures } },
    // Once all routes are there.
    handler: async () => (document ??= openApiOf(schemas)),
  })
}
