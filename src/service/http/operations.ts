// The table of all routes: name, method, path, access and summary. The server refuses to start with a
// route that is not in the table. The OpenAPI document and the tests use it too.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'

import type { KeyScope } from '../../storage/index.ts'
import { errorIn } from './failures.ts'
import type { App } from './server.ts'
import { failures } from '../schemas/failure.ts'

/** A route of the HTTP API. */
export interface Operation {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With parameters such as `:item`. */
  readonly path: string
  /** The required scope of the API key; `open` routes never require a key. */
  readonly access: 'open' | KeyScope
  /** The section of the OpenAPI document. */
  readonly tag: string
  /** What the operation does, in a few words, for the OpenAPI document. */
  readonly summary: string
}

/** The sections of the OpenAPI document. */
export const tags = {
  recommendations: 'Slates of items for users.',
  events: 'Impressions and interactions of users.',
  items: 'The catalog.',
  users: 'Histories, merges and erasure.',
  model: 'Model versions and training.',
  figures: 'Metrics, quality and state of the service.',
  demo: 'The simulated shop of the demo.',
  runs: 'Experiments.',
  imports: 'Imports of logs.',
  keys: 'API keys.',
  machine: 'Probes, metrics for Prometheus, this document and the pages.',
}

/** Rows with the same tag and access: name, route and summary. */
const tagged = <Name extends string>(
  tag: keyof typeof tags,
  access: Operation['access'],
  rows: Readonly<Record<Name, readonly [route: string, summary: string]>>,
) =>
  Object.fromEntries(
    Object.entries<readonly [string, string]>(rows).map(([name, [route, summary]]) => {
      const [method, path] = route.split(' ') as [Operation['method'], string]
      return [name, { method, path, access, tag, summary }]
    }),
  ) as Readonly<Record<Name, Operation>>

/** Every operation of the HTTP API by name, with its route and the key scope it needs. */
export const operations = {
  ...tagged('recommendations', 'recommend', {
    recommend: ['POST /v1/recommendations', 'Recommend items to one user or to many'],
    recommendation: ['GET /v1/recommendations/:id', 'Get a recommendation and its feedback'],
  }),
  ...tagged('events', 'events', {
    record: ['POST /v1/events', 'Record events'],
  }),
  ...tagged('items', 'recommend', {
    items: ['GET /v1/items', 'List items by name'],
    labels: ['POST /v1/items/labels', 'Look up titles and images of items'],
    item: ['GET /v1/items/:item', 'Get an item'],
    similar: ['GET /v1/items/:item/similar', 'List similar items'],
  }),
  ...tagged('items', 'admin', {
    putItem: ['PUT /v1/items/:item', 'Add or update an item'],
    putItems: ['POST /v1/items', 'Add or update many items'],
    removeItem: ['DELETE /v1/items/:item', 'Remove an item from slates'],
    map: ['GET /v1/map', 'Get the catalog in two dimensions'],
  }),
  ...tagged('users', 'admin', {
    users: ['GET /v1/users', 'List users by name'],
    user: ['GET /v1/users/:user', 'Get a user and their recent history'],
    userEvents: ['GET /v1/users/:user/events', 'List all events of a user, newest first'],
    mergeUsers: ['POST /v1/users/merge', 'Merge one user into another'],
    eraseUser: ['DELETE /v1/users/:user', 'Erase a user'],
  }),
  ...tagged('model', 'admin', {
    model: ['GET /v1/model', 'Get the served model versions'],
    modelVersions: ['GET /v1/model/versions', 'List all model versions, newest first'],
    train: ['POST /v1/model/train', 'Train on new events now, or start a full training run'],
    cancelTraining: ['DELETE /v1/model/training', 'Cancel full training runs'],
    rollBack: ['POST /v1/model/rollback', 'Roll back to a model version'],
  }),
  ...tagged('figures', 'admin', {
    metrics: ['GET /v1/metrics', 'Get rolling metrics by variant and by policy'],
    variants: ['GET /v1/variants', 'Compare variants'],
    status: ['GET /v1/status', 'Get health, size and latencies'],
    data: ['GET /v1/data', 'Count users, items and interactions, and show interactions per day'],
    quality: ['GET /v1/quality', 'Get ranking quality, compared with popularity and memory'],
    stream: ['GET /v1/stream', 'Stream events as server-sent events'],
  }),
  ...tagged('demo', 'admin', {
    demo: ['GET /v1/demo', 'Get the state of the demo'],
    setDemo: ['POST /v1/demo', 'Pause or resume the demo'],
  }),
  ...tagged('runs', 'admin', {
    startRun: ['POST /v1/runs', 'Start an experiment'],
    runs: ['GET /v1/runs', 'List recent experiments, newest first'],
    run: ['GET /v1/runs/:id', 'Get an experiment and its result'],
    stopRun: ['POST /v1/runs/:id/stop', 'Stop an experiment'],
    endRun: ['DELETE /v1/runs/:id', 'Stop an experiment and remove it from the list'],
  }),
  ...tagged('imports', 'admin', {
    startImport: ['POST /v1/imports', 'Import a log'],
    imports: ['GET /v1/imports', 'List recent imports, newest first'],
    import: ['GET /v1/imports/:id', 'Get an import and its result'],
  }),
  ...tagged('keys', 'admin', {
    keys: ['GET /v1/keys', 'List API keys, without their secrets'],
    makeKey: ['POST /v1/keys', 'Create an API key'],
    revokeKey: ['DELETE /v1/keys/:id', 'Revoke an API key'],
  }),
  ...tagged('machine', 'admin', {
    prometheus: ['GET /metrics', 'Get metrics in the Prometheus format'],
  }),
  ...tagged('machine', 'open', {
    healthy: ['GET /healthz', 'Check that the process responds'],
    ready: ['GET /readyz', 'Check that the service can serve and record'],
    document: ['GET /openapi.json', 'Get the OpenAPI 3.1 document'],
    page: ['GET /', 'Open the dashboard'],
    playground: ['GET /playground', 'Open the playground, which runs methods in the browser'],
    asset: ['GET /assets/:file', 'Get an asset of these pages'],
    docs: ['GET /docs', 'Open the API reference'],
  }),
}

/** The name of an operation of the HTTP API. */
export type OperationName = keyof typeof operations

/** The stream does not end, so it has no headers to show alone. */
export const hasHead = (name: OperationName): boolean =>
  operations[name].method === 'GET' && name !== 'stream'

const paths = Object.entries(operations).map(([name, { method, path }]) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  methods: hasHead(name as OperationName) ? [method, 'HEAD'] : [method],
}))

/** Responds to a request without a route: 405 with the methods of its path, or 404. */
export function refuseRoute({ method, url }: FastifyRequest, reply: FastifyReply): void {
  const path = url.split('?', 1)[0]!
  const matching = paths.filter(({ pattern }) => pattern.test(path))
  // A path of the table comes before a path with a parameter, as in OpenAPI.
  const exact = matching.filter((one) => one.path === path)
  const allowed = (exact.length > 0 ? exact : matching).flatMap(({ methods }) => methods)
  const shown = JSON.stringify(path)
  if (allowed.length === 0) {
    const message = `there is no route ${method} ${shown}`
    return void reply.code(404).send({ error: { code: 'unknown-route', message } })
  }
  const allow = allowed.join(', ')
  const message = `${shown} allows ${allow}, got ${method}`
  reply
    .code(405)
    .header('allow', allow)
    .send({ error: { code: 'method-refused', message } })
}

/** The fastify options that declare a route as an operation of the table. */
export function at(name: OperationName) {
  const { method, path } = operations[name]
  const exposeHeadRoute = hasHead(name)
  return { method, url: path, config: { operation: name }, exposeHeadRoute } as const
}

interface JsonRoute<Params, Query, Body, Answer> {
  readonly params?: Params
  readonly querystring?: Query
  readonly body?: Body
  readonly answer: Answer
  /** Defaults to 200. */
  readonly status?: number
}

/** Adds a route that responds with JSON. */
export function addRoute<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
>(
  app: App,
  name: OperationName,
  { answer, status = 200, ...request }: JsonRoute<Params, Query, Body, Answer>,
  respond: (request: {
    readonly params: Static<Params>
    readonly query: Static<Query>
    readonly body: Static<Body>
  }) => Static<Answer> | Promise<Static<Answer>>,
): void {
  app.route({
    ...at(name),
    schema: { ...request, response: { [status]: answer, ...failures } },
    // The schemas determine the type of the request, which fastify cannot infer here.
    handler: async (input, reply) => {
      try {
        return await reply.code(status).send(await respond(input as never))
      } catch (error) {
        throw errorIn(request.body ? 'body' : 'query', error)
      }
    },
  })
}
