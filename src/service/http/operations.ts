// Every route, as data: what it is called, where it is, who may ask, and what it is for. The server
// refuses to start with a route that is not here; documents and tests read this table.

import type { KeyScope } from '../../storage/index.ts'

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

export const operations = {
  recommend: operation(
    'POST /v1/recommendations',
    'recommend',
    'recommendations',
    'Recommends items to a user, or to many',
  ),
  recommendation: operation(
    'GET /v1/recommendations/:id',
    'recommend',
    'recommendations',
    'What was served under an id, and what came of it',
  ),
  record: operation(
    'POST /v1/events',
    'events',
    'events',
    'Records what users did; answers when it is durable',
  ),
  putItem: operation('PUT /v1/items/:item', 'admin', 'items', 'Adds an item, or changes it'),
  putItems: operation('POST /v1/items', 'admin', 'items', 'Adds or changes many items'),
  items: operation(
    'GET /v1/items',
    'recommend',
    'items',
    'The catalogue in order of names, by pages',
  ),
  labels: operation(
    'POST /v1/items/labels',
    'recommend',
    'items',
    'Look up titles and images of items',
  ),
  item: operation('GET /v1/items/:item', 'recommend', 'items', 'One item'),
  removeItem: operation('DELETE /v1/items/:item', 'admin', 'items', 'Takes an item out of slates'),
  similar: operation('GET /v1/items/:item/similar', 'recommend', 'items', 'List similar items'),
  map: operation('GET /v1/map', 'admin', 'items', 'Get the catalog in two dimensions'),
  users: operation('GET /v1/users', 'admin', 'users', 'Users in order of names, by pages'),
  user: operation('GET /v1/users/:user', 'admin', 'users', 'What is known of a user'),
  userEvents: operation(
    'GET /v1/users/:user/events',
    'admin',
    'users',
    'All events of a user in the log, newest first, by pages',
  ),
  mergeUsers: operation(
    'POST /v1/users/merge',
    'admin',
    'users',
    'Makes what is known of one user known of another',
  ),
  forgetUser: operation('DELETE /v1/users/:user', 'admin', 'users', 'Forgets a user for good'),
  model: operation('GET /v1/model', 'admin', 'model', 'The model versions that serve'),
  modelVersions: operation(
    'GET /v1/model/versions',
    'admin',
    'model',
    'All versions, newest first',
  ),
  train: operation(
    'POST /v1/model/train',
    'admin',
    'model',
    'Learn from new events now, or start a full training run',
  ),
  cancelTraining: operation(
    'DELETE /v1/model/training',
    'admin',
    'model',
    'Cancel full training runs',
  ),
  rollBack: operation('POST /v1/model/rollback', 'admin', 'model', 'Goes back to a version'),
  metrics: operation('GET /v1/metrics', 'admin', 'figures', 'Rolling figures by arm and by policy'),
  arms: operation('GET /v1/arms', 'admin', 'figures', 'The arms beside each other'),
  status: operation('GET /v1/status', 'admin', 'figures', 'Health, size and latencies'),
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
    'How well recommendations rank what users choose, beside popularity and memory alone',
  ),
  stream: operation('GET /v1/stream', 'admin', 'figures', 'What happens, as server-sent events'),
  demo: operation(
    'GET /v1/demo',
    'admin',
    'demo',
    'The simulated world that runs against the service',
  ),
  setDemo: operation(
    'POST /v1/demo',
    'admin',
    'demo',
    'Pauses the simulated world, or lets it run on',
  ),
  startRun: operation('POST /v1/runs', 'admin', 'runs', 'Starts a run'),
  runs: operation('GET /v1/runs', 'admin', 'runs', 'The latest runs, newest first'),
  run: operation('GET /v1/runs/:id', 'admin', 'runs', 'One run, with its result'),
  stopRun: operation(
    'POST /v1/runs/:id/stop',
    'admin',
    'runs',
    'Stops a run, which stays on the list',
  ),
  endRun: operation(
    'DELETE /v1/runs/:id',
    'admin',
    'runs',
    'Stops a run and takes it off the list',
  ),
  startImport: operation('POST /v1/imports', 'admin', 'imports', 'Imports a log from a text'),
  imports: operation('GET /v1/imports', 'admin', 'imports', 'The latest imports, newest first'),
  import: operation('GET /v1/imports/:id', 'admin', 'imports', 'One import, with its result'),
  keys: operation('GET /v1/keys', 'admin', 'keys', 'The keys, without their secrets'),
  makeKey: operation(
    'POST /v1/keys',
    'admin',
    'keys',
    'Makes a key; its secret is shown this once',
  ),
  revokeKey: operation('DELETE /v1/keys/:id', 'admin', 'keys', 'Revokes a key within a second'),
  prometheus: operation('GET /metrics', 'admin', 'machine', 'Figures in the format of Prometheus'),
  healthy: operation('GET /healthz', 'open', 'machine', 'Whether the process answers'),
  ready: operation('GET /readyz', 'open', 'machine', 'Whether it can serve and record'),
  document: operation('GET /openapi.json', 'open', 'machine', 'This interface, as OpenAPI 3.1'),
  page: operation('GET /', 'open', 'machine', 'The dashboard, where one was handed in'),
  playground: operation(
    'GET /playground',
    'open',
    'machine',
    'A page that races methods by itself',
  ),
  asset: operation('GET /assets/:file', 'open', 'machine', 'What the pages are made of'),
  docs: operation('GET /docs', 'open', 'machine', 'This interface, as a page'),
} as const satisfies Readonly<Record<string, Operation>>

export type OperationName = keyof typeof operations

/** What tells fastify which operation a route is. */
export function at(name: OperationName) {
  const { method, path } = operations[name]
  return { method, url: path, config: { operation: name } } as const
}
