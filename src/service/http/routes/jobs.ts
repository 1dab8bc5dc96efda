// Runs, imports and the demo.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { Demo } from '../../runs.ts'
import type { Jobs } from '../jobs.ts'
import { importRequest, jobSchema, runRequest } from '../jobs.ts'
import { requireShallow, limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { OperationName } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { closed, list, name, answers, finite, oneOf, wholeNumber } from '../schemas/words.ts'

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

// The simulated world that runs against the service, where whoever started the server runs one.

const demoSchema = answers<Demo>()(
  closed(
    {
      state: oneOf('running', 'paused', 'over'),
      world: Type.String(),
      rounds: wholeNumber(0),
      variants: list(
        closed(
          {
            variant: Type.String(),
            policy: Type.String(),
            seed: finite,
            at: list(wholeNumber(0)),
            reward: list(finite),
            regret: list(finite),
          },
          'DemoVariant',
        ),
      ),
    },
    'Demo',
  ),
)

const demoState = closed({ state: oneOf('running', 'paused') }, 'DemoState')

export function demoRoutes(app: App, { demo }: Parts): void {
  const running = () => {
    if (demo) return demo
    throw new RenError('not-found', 'there is no demo: this server was started without')
  }

  app.route({
    ...at('demo'),
    schema: { response: { 200: demoSchema, ...failures } },
    handler: async () => running().describe(),
  })

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
