// The routes of runs, imports and the demo.

import { RenError } from '../../../core/errors.ts'
import type { DemoControl, ImportRequest, RunRequest } from '../../runs.ts'
import { demoSchema, importRequest, jobSchema, runRequest } from '../../schemas/jobs.ts'
import type { Jobs } from '../jobs.ts'
import { requireShallow, limits } from '../../limits.ts'
import { addRoute, at } from '../operations.ts'
import type { App } from '../server.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/builders.ts'

const params = t.closed({ id: t.field('The id of the job.', t.name) })
const oneJob = { params, answer: jobSchema }
const allJobs = {
  answer: t.named('Jobs', {
    jobs: t.field('At most 100 jobs, newest first, without their results.', t.list(jobSchema)),
  }),
}

export function jobRoutes(app: App, runs: Jobs<RunRequest>, imports: Jobs<ImportRequest>): void {
  addRoute(app, 'startRun', { body: runRequest, answer: jobSchema, status: 202 }, ({ body }) => {
    const { kind, settings = {} } = body
    requireShallow(settings, 'settings')
    return runs.start({ kind, settings })
  })
  addRoute(app, 'runs', allJobs, () => ({ jobs: runs.list() }))
  addRoute(app, 'run', oneJob, ({ params: { id } }) => runs.get(id))
  addRoute(app, 'stopRun', oneJob, ({ params: { id } }) => runs.stop(id))
  addRoute(app, 'endRun', oneJob, ({ params: { id } }) => runs.end(id))

  app.route({
    ...at('startImport'),
    bodyLimit: limits.importBody,
    schema: { body: importRequest, response: { 202: jobSchema, ...failures } },
    handler: async ({ body }, reply) => reply.code(202).send(imports.start(body)),
  })
  addRoute(app, 'imports', allJobs, () => ({ jobs: imports.list() }))
  addRoute(app, 'import', oneJob, ({ params: { id } }) => imports.get(id))
}

const demoState = t.named('DemoRequest', {
  state: t.field('Whether the demo runs.', t.oneOf('running', 'paused')),
})

export function demoRoutes(app: App, demo: DemoControl | undefined): void {
  const running = () => {
    if (demo) return demo
    throw new RenError('not-found', 'this server was started without a demo')
  }

  addRoute(app, 'demo', { answer: demoSchema }, () => running().describe())
  addRoute(app, 'setDemo', { body: demoState, answer: demoSchema }, ({ body: { state } }) => {
    const control = running()
    control.set(state)
    return control.describe()
  })
}
