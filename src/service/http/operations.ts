// Every route, as data: what it is called, where it is, who may ask, and what it is for. The server
// refuses to start with a route that is not here; documents and tests read this table.

import type { Static, TSchema } from 'typebox'

import type { KeyScope } from '../../storage/index.ts'
import type { App } from './guard.ts'
import { failures } from '../schemas/failure.ts'

/** A route of the HTTP API. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `:name` where a part of it varies. */
  readonly path: string
  /** The scope of the key it needs; `open` needs none, ever. */
  readonly access: 'open' | KeyScope
  readonly tag: string
  readonly summary: string
}

/** Rows of one tag: method and path, access, summary. */
const tagged = <Name extends string>(
  tag: string,
  rows: Readonly<Record<Name, readonly [route: string, Operation['access'], summary: string]>>,
) =>
  Object.fromEntries(
    Object.entries<readonly [string, Operation['access'], string]>(rows).map(
      ([name, [route, access, summary]]) => {
        const [method, path] = route.split(' ') as [Operation['method'], string]
        return [name, { method, path, access, tag, summary }]
      },
    ),
  ) as Readonly<Record<Name, Operation>>

/** Every operation of the HTTP API by name, with its route and the key scope it needs. */
export const operations = {
  ...tagged('recommendations', {
    recommend: ['POST /v1/recommendations', 'recommend', 'Recommend items to one user or to many'],
    recommendation: [
      'GET /v1/recommendations/:id',
      'recommend',
      'Get a recommendation and its feedback',
    ],
  }),
  ...tagged('events', {
    record: ['POST /v1/events', 'events', 'Record events'],
  }),
  ...tagged('items', {
    putItem: ['PUT /v1/items/:item', 'admin', 'Add or update an item'],
    putItems: ['POST /v1/items', 'admin', 'Add or update many items'],
    items: ['GET /v1/items', 'recommend', 'List items by name'],
    labels: ['POST /v1/items/labels', 'recommend', 'Look up titles and images of items'],
    item: ['GET /v1/items/:item', 'recommend', 'Get an item'],
    removeItem: ['DELETE /v1/items/:item', 'admin', 'Remove an item from slates'],
    similar: ['GET /v1/items/:item/similar', 'recommend', 'List similar items'],
    map: ['GET /v1/map', 'admin', 'Get the catalog in two dimensions'],
  }),
  ...tagged('users', {
    users: ['GET /v1/users', 'admin', 'List users by name'],
    user: ['GET /v1/users/:user', 'admin', 'Get a user and their recent history'],
    userEvents: ['GET /v1/users/:user/events', 'admin', 'List all events of a user, newest first'],
    mergeUsers: ['POST /v1/users/merge', 'admin', 'Merge one user into another'],
    eraseUser: ['DELETE /v1/users/:user', 'admin', 'Erase a user'],
  }),
  ...tagged('model', {
    model: ['GET /v1/model', 'admin', 'Get the served model versions'],
    modelVersions: ['GET /v1/model/versions', 'admin', 'List all model versions, newest first'],
    train: [
      'POST /v1/model/train',
      'admin',
      'Train on new events now, or start a full training run',
    ],
    cancelTraining: ['DELETE /v1/model/training', 'admin', 'Cancel full training runs'],
    rollBack: ['POST /v1/model/rollback', 'admin', 'Roll back to a model version'],
  }),
  ...tagged('figures', {
    metrics: ['GET /v1/metrics', 'admin', 'Get rolling metrics by variant and by policy'],
    variants: ['GET /v1/variants', 'admin', 'Compare variants'],
    status: ['GET /v1/status', 'admin', 'Get health, size and latencies'],
    data: [
      'GET /v1/data',
      'admin',
      'Count users, items and interactions, and show interactions per day',
    ],
    quality: [
      'GET /v1/quality',
      'admin',
      'Get ranking quality, compared with popularity and memory',
    ],
    stream: ['GET /v1/stream', 'admin', 'Stream events as server-sent events'],
  }),
  ...tagged('demo', {
    demo: ['GET /v1/demo', 'admin', 'Get the state of the demo'],
    setDemo: ['POST /v1/demo', 'admin', 'Pause or resume the demo'],
  }),
  ...tagged('runs', {
    startRun: ['POST /v1/runs', 'admin', 'Start an experiment'],
    runs: ['GET /v1/runs', 'admin', 'List recent experiments, newest first'],
    run: ['GET /v1/runs/:id', 'admin', 'Get an experiment and its result'],
    stopRun: ['POST /v1/runs/:id/stop', 'admin', 'Stop an experiment'],
    endRun: ['DELETE /v1/runs/:id', 'admin', 'Stop an experiment and remove it from the list'],
  }),
  ...tagged('imports', {
    startImport: ['POST /v1/imports', 'admin', 'Import a log'],
    imports: ['GET /v1/imports', 'admin', 'List recent imports, newest first'],
    import: ['GET /v1/imports/:id', 'admin', 'Get an import and its result'],
  }),
  ...tagged('keys', {
    keys: ['GET /v1/keys', 'admin', 'List API keys, without their secrets'],
    makeKey: ['POST /v1/keys', 'admin', 'Create an API key'],
    revokeKey: ['DELETE /v1/keys/:id', 'admin', 'Revoke an API key'],
  }),
  ...tagged('machine', {
    prometheus: ['GET /metrics', 'admin', 'Get metrics in the Prometheus format'],
    healthy: ['GET /healthz', 'open', 'Check that the process responds'],
    ready: ['GET /readyz', 'open', 'Check that the service can serve and record'],
    document: ['GET /openapi.json', 'open', 'Get the OpenAPI 3.1 document'],
    page: ['GET /', 'open', 'Open the dashboard'],
    playground: [
      'GET /playground',
      'open',
      'Open the playground, which runs methods in the browser',
    ],
    asset: ['GET /assets/:file', 'open', 'Get an asset of these pages'],
    docs: ['GET /docs', 'open', 'Open the API reference'],
  }),
}

/** The name of an operation of the HTTP API. */
export type OperationName = keyof typeof operations

/** What tells fastify which operation a route is. */
export function at(name: OperationName) {
  const { method, path } = operations[name]
  return { method, url: path, config: { operation: name } } as const
}

/** Adds a route that reads nothing of its request. */
export function addRead<Answer extends TSchema>(
  app: App,
  name: OperationName,
  answer: Answer,
  read: () => Static<Answer> | Promise<Static<Answer>>,
): void {
  const schema = { response: { 200: answer as TSchema, ...failures } }
  app.route({ ...at(name), schema, handler: async () => read() })
}
