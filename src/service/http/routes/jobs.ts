// Runs and imports: started, looked at, and stopped.

import type { Jobs } from '../jobs.ts'
import { importRequest, jobSchema, runRequest } from '../jobs.ts'
import { requireShallow } from '../json-body.ts'
import { limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { OperationName } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { closed, list, name } from '../schemas/words.ts'

const params = closed({ id: name })
const oneJob = { 200: jobSchema, ...failures } as const
const allJobs = { 200: closed({ jobs: list(jobSchema) }, 'Jobs'), ...failures } as const

export function jobRoutes(app: App, { runs, imports }: Parts): void {
  app.route({
    ...at('startRun'),
    schema: { body: runRequest, response: { 202: jobSchema, ...failures } },
    handler: async ({ body: { kind, settings = {} } }, reply) => {
      requireShallow(settings, 'body.settings')
      return reply.code(202).send(runs.start({ kind, settings }))
    },
  })
  showJobs(app, runs, { all: 'runs', one: 'run' })
  app.route({
    ...at('stopRun'),
    schema: { params, response: oneJob },
    handler: async ({ params: { id } }) => runs.stop(id),
  })
  app.route({
    ...at('endRun'),
    schema: { params, response: oneJob },
    handler: async ({ params: { id } }) => runs.end(id),
  })

  app.route({
    ...at('startImport'),
    bodyLimit: limits.importBody,
    schema: { body: importRequest, response: { 202: jobSchema, ...failures } },
    handler: async ({ body }, reply) => reply.code(202).send(imports.start(body)),
  })
  showJobs(app, imports, { all: 'imports', one: 'import' })
}

function showJobs(
  app: App,
  jobs: Pick<Jobs<unknown>, 'list' | 'get'>,
  { all, one }: { readonly all: OperationName; readonly one: OperationName },
): void {
  app.route({
    ...at(all),
    schema: { response: allJobs },
    handler: async () => ({ jobs: [...jobs.list()] }),
  })
  app.route({
    ...at(one),
    schema: { params, response: oneJob },
    handler: async ({ params: { id } }) => jobs.get(id),
  })
}
