// The public API of the service as functions. Only types of the service are imported, no code.

import type * as Service from '../../service/index.ts'
import { firstResponse, sendRequest, type Query } from './request.ts'

const at = encodeURIComponent
type Signal = AbortSignal

const get = <T>(path: string, signal?: Signal, query?: Query) =>
  (query ? undefined : firstResponse<T>(path)) ?? sendRequest<T>('GET', path, { signal, query })
const post = <T>(path: string, body: unknown, signal?: Signal) =>
  sendRequest<T>('POST', path, { body, signal })
const remove = <T>(path: string) => sendRequest<T>('DELETE', path)

export const api = {
  status: (signal?: Signal) => get<Service.Status>('/v1/status', signal),
  metrics: (signal: Signal) => get<Service.ServiceMetrics>('/v1/metrics', signal),
  variants: (signal: Signal) => get<Service.VariantComparison>('/v1/variants', signal),
  quality: (signal: Signal) => get<{ groups: Service.GroupQuality[] }>('/v1/quality', signal),
  data: (signal: Signal) => get<Service.DataFigures>('/v1/data', signal),
  demo: (signal: Signal) => get<Service.Demo>('/v1/demo', signal),
  setDemo: (state: 'running' | 'paused') => post<Service.Demo>('/v1/demo', { state }),

  recommend: (request: Service.ServiceRequest, signal: Signal) =>
    post<Service.ServedRecommendation>('/v1/recommendations', request, signal),
  /** Each request has a result or an error at its index. */
  recommendMany: (requests: readonly Service.ServiceRequest[], signal: Signal) =>
    post<{ results: (Service.ServedRecommendation | { error: object })[] }>(
      '/v1/recommendations',
      { requests },
      signal,
    ),
  recommendation: (id: string, signal: Signal) =>
    get<Service.RecommendationTimeline>(`/v1/recommendations/${at(id)}`, signal),

  items: (query: Query, signal: Signal) =>
    get<Service.Page<Service.ItemInfo>>('/v1/items', signal, query),
  item: (item: string, signal: Signal) => get<Service.ItemInfo>(`/v1/items/${at(item)}`, signal),
  labels: (items: readonly string[]) =>
    post<{ labels: Service.ItemLabel[] }>('/v1/items/labels', { items }),
  similar: (item: string, signal: Signal) =>
    get<{ items: Service.SimilarItem[] }>(`/v1/items/${at(item)}/similar`, signal),
  map: (query: Query, signal: Signal) => get<Service.ItemMap>('/v1/map', signal, query),

  users: (query: Query, signal: Signal) =>
    get<Service.Page<Service.UserEntry>>('/v1/users', signal, query),
  user: (user: string, signal: Signal) => get<Service.UserInfo>(`/v1/users/${at(user)}`, signal),
  eraseUser: (user: string) =>
    remove<{ position: number; events: number }>(`/v1/users/${at(user)}`),
  userEvents: (user: string, query: Query, signal: Signal) =>
    get<Service.UserEventPage>(`/v1/users/${at(user)}/events`, signal, query),

  model: (signal: Signal) => get<{ versions: Service.ModelVersion[] }>('/v1/model', signal),
  versions: (signal: Signal) =>
    get<{ versions: Service.ModelVersion[] }>('/v1/model/versions', signal),
  train: () => post<{ outcomes: Service.TrainOutcome[] }>('/v1/model/train', {}),
  cancelTraining: () => remove<{ training: Service.TrainingStatus[] }>('/v1/model/training'),
  rollBack: (version: number, group: string) =>
    post<Service.ModelVersion>('/v1/model/rollback', { version, group }),

  runs: (signal: Signal) => get<{ jobs: Service.Job[] }>('/v1/runs', signal),
  startRun: (request: Service.RunRequest) => post<Service.Job>('/v1/runs', request),
  stopRun: (id: string) => post<Service.Job>(`/v1/runs/${at(id)}/stop`, undefined),
  endRun: (id: string) => remove<Service.Job>(`/v1/runs/${at(id)}`),

  imports: (signal: Signal) => get<{ jobs: Service.Job[] }>('/v1/imports', signal),
  import: (id: string, signal: Signal) => get<Service.Job>(`/v1/imports/${at(id)}`, signal),
  startImport: (request: Service.ImportRequest) => post<Service.Job>('/v1/imports', request),

  keys: (signal: Signal) => get<{ keys: Service.KeyEntry[] }>('/v1/keys', signal),
  createKey: (request: { name: string; scopes: Service.KeyEntry['scopes'] }) =>
    post<Service.KeyEntry & { key: string }>('/v1/keys', request),
  revokeKey: (id: string) => remove<{ id: string }>(`/v1/keys/${at(id)}`),
} as const
