// Runs and imports: started, looked at, and stopped.

import { requireShallow } from '../depth.ts'
import { limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { importRequest, job, runRequest } from '../schemas/job.ts'
import { closed, list, name } from '../schemas/words.ts'

const params = closed({ id: name })
const oneJob = { 200: job, ...failures } as const
const allJobs = { 200: closed({ jobs: list(job) }, 'Jobs'), ...failures } as const

export function jobRoutes(app: App, { runs, imports }: Parts): void {
  app.route({
    ...at('startRun'),
    schema: { body: runRequest, response: { 202: job, ...failures } },
    handler: async ({ body: { kind, settings = {} } }, reply) => {
      requireShallow(settings, 'body.settings')
      return reply.code(202).send(runs.start({ kind, settings }))
    },
  })
  app.route({
    ...at('runs'),
    schema: { response: allJobs },
    handler: async () => ({ jobs: [...runs.list()] }),
  })
  app.route({
    ...at('run'),
    schema: { params, response: oneJob },
    handler: async ({ params: { id } }) => runs.get(id),
  })
  app.route({
    ...at('endRun'),
    schema: { params, response: oneJob },
    handler: async ({ params: { id } }) => runs.end(id),
  })

  app.route({
    ...at('startImport'),
    bodyLimit: limits.importBody,
    schema: { body: importRequest, response: { 202: job, ...failures } },
    handler: async ({ body }, reply) => reply.code(202).send(imports.start(body)),
  })
  app.route({
    ...at('imports'),
    schema: { response: allJobs },
    handler: async () => ({ jobs: [...imports.list()] }),
  })
  app.route({
    ...at('import'),
    schema: { params, response: oneJob },
    handler: async ({ params: { id } }) => imports.get(id),
  })
}
