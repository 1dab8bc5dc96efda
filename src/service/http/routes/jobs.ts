// Runs, imports and the demo.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { Demo, DemoControl, ImportRequest, RunRequest } from '../../runs.ts'
import type { Jobs } from '../jobs.ts'
import { importRequest, jobSchema, runRequest } from '../jobs.ts'
import { requireShallow, limits } from '../../limits.ts'
import { addRead, at } from '../operations.ts'
import type { OperationName } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/words.ts'

const params = t.closed({ id: t.name })
const oneJob = { 200: jobSchema, ...failures } as const
const allJobs = t.named('Jobs', { jobs: t.list(jobSchema) })

export function jobRoutes(app: App, runs: Jobs<RunRequest>, imports: Jobs<ImportRequest>): void {
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
  addRead(app, all, allJobs, () => ({ jobs: [...jobs.list()] }))
  app.route({
    ...at(one),
    schema: { params, response: oneJob },
    handler: async ({ params: { id } }) => jobs.get(id),
  })
}

// The simulated world that runs against the service, where whoever started the server runs one.

const demoSchema = t.answers<Demo>()('Demo', {
  state: t.oneOf('running', 'paused', 'over'),
  world: Type.String(),
  rounds: t.wholeNumber(0),
  variants: t.list(
    t.named('DemoVariant', {
      variant: Type.String(),
      policy: Type.String(),
      seed: t.finite,
      at: t.list(t.wholeNumber(0)),
      reward: t.list(t.finite),
      regret: t.list(t.finite),
    }),
  ),
})

const demoState = t.named('DemoState', { state: t.oneOf('running', 'paused') })

export function demoRoutes(app: App, demo: DemoControl | undefined): void {
  const running = () => {
    if (demo) return demo
    throw new RenError('not-found', 'there is no demo: this server was started without')
  }

  addRead(app, 'demo', demoSchema, () => running().describe())

  app.route({
    ...at('setDemo'),
    schema: { body: demoState, response: { 200: demoSchema, ...failures } },
    handler: async ({ body: { state } }) => {
      const control = running()
      control.set(state)
      return control.describe()
    },
  })
}
