// Figures of the service, and what happens in it.

import type { OutgoingHttpHeaders } from 'node:http'
import { Type } from 'typebox'

import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { variantComparison, dataFigures, serviceMetrics, status } from '../schemas/figures.ts'
import { summarizeQuality } from '../../metrics/quality.ts'
import type { GroupQuality } from '../../metrics/quality.ts'
import { qualityReport } from '../schemas/quality.ts'
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
