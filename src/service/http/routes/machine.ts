// Probes, Prometheus metrics and the OpenAPI document.

import { Type } from 'typebox'

import type { Health } from '../../service.ts'
import { openApiOf } from '../openapi.ts'
import type { Json } from '../openapi.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { anyObject, closed, flag, oneOf } from '../schemas/words.ts'

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
