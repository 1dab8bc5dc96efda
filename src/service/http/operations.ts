// Every route, as data: what it is called, where it is, who may ask, and what it is for. The server
// refuses to start with a route that is not here; documents and tests read this table.

import type { KeyScope } from '../../storage/index.ts'

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

const operation = <const T extends Operation>(
  route: `${T['method']} ${T['path']}`,
  access: T['access'],
  tag: string,
  summary: string,
): Operation => {
  const [method, path] = route.split(' ') as [T['method'], string]
  return { method, path, access, tag, summary }
}

/** Every operation of the HTTP API by name, with its route and the key scope it needs. */
export const operations = {
  recommend: operation(
    'POST /v1/recommendations',
    'recommend',
    'recommendations',
    'Recommend items to one user or to many',
  ),
  recommendation: operation(
    'GET /v1/recommendations/:id',
    'recommend',
    'recommendations',
    'Get a recommendation and its feedback',
  ),
  record: operation('POST /v1/events', 'events', 'events', 'Record events'),
  putItem: operation('PUT /v1/items/:item', 'admin', 'items', 'Add or update an item'),
  putItems: operation('POST /v1/items', 'admin', 'items', 'Add or update many items'),
  items: operation('GET /v1/items', 'recommend', 'items', 'List items by name'),
  labels: operation(
    'POST /v1/items/labels',
    'recommend',
    'items',
    'Look up titles and images of items',
  ),
  item: operation('GET /v1/items/:item', 'recommend', 'items', 'Get an item'),
  removeItem: operation('DELETE /v1/items/:item', 'admin', 'items', 'Remove an item from slates'),
  similar: operation('GET /v1/items/:item/similar', 'recommend', 'items', 'List similar items'),
  map: operation('GET /v1/map', 'admin', 'items', 'Get the catalog in two dimensions'),
  users: operation('GET /v1/users', 'admin', 'users', 'List users by name'),
  user: operation('GET /v1/users/:user', 'admin', 'users', 'Get a user and their recent history'),
  userEvents: operation(
    'GET /v1/users/:user/events',
    'admin',
    'users',
    'List all events of a user, newest first',
  ),
  mergeUsers: operation('POST /v1/users/merge', 'admin', 'users', 'Merge one user into another'),
  eraseUser: operation('DELETE /v1/users/:user', 'admin', 'users', 'Erase a user'),
  model: operation('GET /v1/model', 'admin', 'model', 'Get the served model versions'),
  modelVersions: operation(
    'GET /v1/model/versions',
    'admin',
    'model',
    'List all model versions, newest first',
  ),
  train: operation(
    'POST /v1/model/train',
    'admin',
    'model',
    'Train on new events now, or start a full training run',
  ),
  cancelTraining: operation(
    'DELETE /v1/model/training',
    'admin',
    'model',
    'Cancel full training runs',
  ),
  rollBack: operation('POST /v1/model/rollback', 'admin', 'model', 'Roll back to a model version'),
  metrics: operation(
    'GET /v1/metrics',
    'admin',
    'figures',
    'Get rolling metrics by variant and by policy',
  ),
  variants: operation('GET /v1/variants', 'admin', 'figures', 'Compare variants'),
  status: operation('GET /v1/status', 'admin', 'figures', 'Get health, size and latencies'),
  data: operation(
    'GET /v1/data',
    'admin',
    'figures',
    'Count users, items and interactions, and show interactions per day',
  ),
  quality: operation(
    'GET /v1/quality',
    'admin',
    'figures',
    'Get ranking quality, compared with popularity and memory',
  ),
  stream: operation('GET /v1/stream', 'admin', 'figures', 'Stream events as server-sent events'),
  demo: operation('GET /v1/demo', 'admin', 'demo', 'Get the state of the demo'),
  setDemo: operation('POST /v1/demo', 'admin', 'demo', 'Pause or resume the demo'),
  startRun: operation('POST /v1/runs', 'admin', 'runs', 'Start an experiment'),
  runs: operation('GET /v1/runs', 'admin', 'runs', 'List recent experiments, newest first'),
  run: operation('GET /v1/runs/:id', 'admin', 'runs', 'Get an experiment and its result'),
  stopRun: operation('POST /v1/runs/:id/stop', 'admin', 'runs', 'Stop an experiment'),
  endRun: operation(
    'DELETE /v1/runs/:id',
    'admin',
    'runs',
    'Stop an experiment and remove it from the list',
  ),
  startImport: operation('POST /v1/imports', 'admin', 'imports', 'Import a log'),
  imports: operation('GET /v1/imports', 'admin', 'imports', 'List recent imports, newest first'),
  import: operation('GET /v1/imports/:id', 'admin', 'imports', 'Get an import and its result'),
  keys: operation('GET /v1/keys', 'admin', 'keys', 'List API keys, without their secrets'),
  makeKey: operation('POST /v1/keys', 'admin', 'keys', 'Create an API key'),
  revokeKey: operation('DELETE /v1/keys/:id', 'admin', 'keys', 'Revoke an API key'),
  prometheus: operation('GET /metrics', 'admin', 'machine', 'Get metrics in the Prometheus format'),
  healthy: operation('GET /healthz', 'open', 'machine', 'Check that the process responds'),
  ready: operation('GET /readyz', 'open', 'machine', 'Check that the service can serve and record'),
  document: operation('GET /openapi.json', 'open', 'machine', 'Get the OpenAPI 3.1 document'),
  page: operation('GET /', 'open', 'machine', 'Open the dashboard'),
  playground: operation(
    'GET /playground',
    'open',
    'machine',
    'Open the playground, which runs methods in the browser',
  ),
  asset: operation('GET /assets/:file', 'open', 'machine', 'Get an asset of these pages'),
  docs: operation('GET /docs', 'open', 'machine', 'Open the API reference'),
} as const satisfies Readonly<Record<string, Operation>>

/** The name of an operation of the HTTP API. */
export type OperationName = keyof typeof operations

/** What tells fastify which operation a route is. */
export function at(name: OperationName) {
  const { method, path } = operations[name]
  return { method, url: path, config: { operation: name } } as const
}
