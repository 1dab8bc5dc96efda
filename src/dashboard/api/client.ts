// The public API of the service as functions. Only types of the service are imported, no code.

import type {
  DataFigures,
  Demo,
  GroupQuality,
  ItemInfo,
  ItemLabel,
  ItemMap,
  Job,
  KeyEntry,
  ModelVersion,
  Page,
  RecommendationTimeline,
  RunRequest,
  ServedRecommendation,
  ServiceMetrics,
  ServiceRequest,
  SimilarItem,
  Status,
  TrainingStatus,
  TrainOutcome,
  UserEventPage,
  UserInfo,
  VariantComparison,
} from '../../service/index.ts'
import { firstResponse, sendRequest } from './request.ts'
import type { Query } from './request.ts'

const at = encodeURIComponent
type Signal = AbortSignal

const get = <T>(path: string, signal?: Signal, query?: Query) =>
  (query ? undefined : firstResponse<T>(path)) ?? sendRequest<T>('GET', path, { signal, query })
const post = <T>(path: string, body: unknown, signal?: Signal) =>
  sendRequest<T>('POST', path, { body, signal })
const remove = <T>(path: string) => sendRequest<T>('DELETE', path)

export const api = {
  status: (signal?: Signal) => get<Status>('/v1/status', signal),
  metrics: (signal: Signal) => get<ServiceMetrics>('/v1/metrics', signal),
  variants: (signal: Signal) => get<VariantComparison>('/v1/variants', signal),
  quality: (signal: Signal) => get<{ groups: GroupQuality[] }>('/v1/quality', signal),
  data: (signal: Signal) => get<DataFigures>('/v1/data', signal),
  demo: (signal: Signal) => get<Demo>('/v1/demo', signal),
  setDemo: (state: 'running' | 'paused') => post<Demo>('/v1/demo', { state }),

  recommend: (request: ServiceRequest, signal: Signal) =>
    post<ServedRecommendation>('/v1/recommendations', request, signal),
  /** Each request has a result or an error at its index. */
  recommendMany: (requests: readonly ServiceRequest[], signal: Signal) =>
    post<{ results: (ServedRecommendation | { error: object })[] }>(
      '/v1/recommendations',
      { requests },
      signal,
    ),
  recommendation: (id: string, signal: Signal) =>
    get<RecommendationTimeline>(`/v1/recommendations/${at(id)}`, signal),

  items: (query: Query, signal: Signal) => get<Page<ItemInfo>>('/v1/items', signal, query),
  item: (item: string, signal: Signal) => get<ItemInfo>(`/v1/items/${at(item)}`, signal),
  labels: (items: readonly string[]) =>
    post<{ labels: ItemLabel[] }>('/v1/items/labels', { items }),
  similar: (item: string, signal: Signal) =>
    get<{ items: SimilarItem[] }>(`/v1/items/${at(item)}/similar`, signal),
  map: (query: Query, signal: Signal) => get<ItemMap>('/v1/map', signal, query),

  users: (query: Query, signal: Signal) =>
    get<Page<{ user: string; variant: string; interactions: number; slates: number }>>(
      '/v1/users',
      signal,
      query,
    ),
  user: (user: string, signal: Signal) => get<UserInfo>(`/v1/users/${at(user)}`, signal),
  eraseUser: (user: string) =>
    remove<{ position: number; events: number }>(`/v1/users/${at(user)}`),
  userEvents: (user: string, query: Query, signal: Signal) =>
    get<UserEventPage>(`/v1/users/${at(user)}/events`, signal, query),

  model: (signal: Signal) => get<{ versions: ModelVersion[] }>('/v1/model', signal),
  versions: (signal: Signal) => get<{ versions: ModelVersion[] }>('/v1/model/versions', signal),
  train: () => post<{ outcomes: TrainOutcome[] }>('/v1/model/train', {}),
  cancelTraining: () => remove<{ training: TrainingStatus[] }>('/v1/model/training'),
  rollBack: (version: number, group: string) =>
    post<ModelVersion>('/v1/model/rollback', { version, group }),

  runs: (signal: Signal) => get<{ jobs: Job[] }>('/v1/runs', signal),
  startRun: (request: RunRequest) => post<Job>('/v1/runs', request),
  stopRun: (id: string) => post<Job>(`/v1/runs/${at(id)}/stop`, undefined),
  endRun: (id: string) => remove<Job>(`/v1/runs/${at(id)}`),

  imports: (signal: Signal) => get<{ jobs: Job[] }>('/v1/imports', signal),
  import: (id: string, signal: Signal) => get<Job>(`/v1/imports/${at(id)}`, signal),
  startImport: (request: { name: string; format: 'csv' | 'jsonl'; text: string }) =>
    post<Job>('/v1/imports', request),

  keys: (signal: Signal) => get<{ keys: KeyEntry[] }>('/v1/keys', signal),
  createKey: (request: { name: string; scopes: KeyEntry['scopes'] }) =>
    post<KeyEntry & { key: string }>('/v1/keys', request),
  revokeKey: (id: string) => remove<{ id: string }>(`/v1/keys/${at(id)}`),
} as const
