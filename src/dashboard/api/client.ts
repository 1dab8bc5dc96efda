// The service's public interface as functions. Types are the service's own; nothing else of it is
// in the page.

import type {
  ArmComparison,
  Demonstration,
  ItemInfo,
  ItemMap,
  Job,
  KeyEntry,
  ModelVersion,
  Page,
  RecommendationStory,
  RunRequest,
  ServedRecommendation,
  ServiceMetrics,
  ServiceRequest,
  Status,
  TrainOutcome,
  UserEventPage,
  UserInfo,
} from '../../service/index.ts'
import { ask } from './ask.ts'
import type { Asking, Query } from './ask.ts'

const at = encodeURIComponent

export const api = {
  status: (asking?: Asking) => ask<Status>('GET', '/v1/status', asking),
  metrics: (asking?: Asking) => ask<ServiceMetrics>('GET', '/v1/metrics', asking),
  arms: (asking?: Asking) => ask<ArmComparison>('GET', '/v1/arms', asking),
  demonstration: (asking?: Asking) => ask<Demonstration>('GET', '/v1/demonstration', asking),
  setDemonstration: (state: 'running' | 'paused') =>
    ask<Demonstration>('POST', '/v1/demonstration', { body: { state } }),

  recommend: (request: ServiceRequest, asking?: Asking) =>
    ask<ServedRecommendation>('POST', '/v1/recommendations', { ...asking, body: request }),
  recommendation: (id: string, asking?: Asking) =>
    ask<RecommendationStory>('GET', `/v1/recommendations/${at(id)}`, asking),

  items: (query: Query, asking?: Asking) =>
    ask<Page<ItemInfo>>('GET', '/v1/items', { ...asking, query }),
  item: (item: string, asking?: Asking) => ask<ItemInfo>('GET', `/v1/items/${at(item)}`, asking),
  similar: (item: string, asking?: Asking) =>
    ask<{ items: { item: string; similarity: number }[] }>(
      'GET',
      `/v1/items/${at(item)}/similar`,
      asking,
    ),
  map: (query: Query, asking?: Asking) => ask<ItemMap>('GET', '/v1/map', { ...asking, query }),

  users: (query: Query, asking?: Asking) =>
    ask<Page<{ user: string; arm: string; interactions: number; slates: number }>>(
      'GET',
      '/v1/users',
      { ...asking, query },
    ),
  user: (user: string, asking?: Asking) => ask<UserInfo>('GET', `/v1/users/${at(user)}`, asking),
  forgetUser: (user: string) =>
    ask<{ position: number; events: number }>('DELETE', `/v1/users/${at(user)}`),
  userEvents: (user: string, query: Query, asking?: Asking) =>
    ask<UserEventPage>('GET', `/v1/users/${at(user)}/events`, { ...asking, query }),

  model: (asking?: Asking) => ask<{ versions: ModelVersion[] }>('GET', '/v1/model', asking),
  versions: (asking?: Asking) =>
    ask<{ versions: ModelVersion[] }>('GET', '/v1/model/versions', asking),
  train: (group?: string) =>
    ask<{ outcomes: TrainOutcome[] }>('POST', '/v1/model/train', {
      body: group === undefined ? {} : { group },
    }),
  rollBack: (version: number, group: string) =>
    ask<ModelVersion>('POST', '/v1/model/rollback', { body: { version, group } }),

  runs: (asking?: Asking) => ask<{ jobs: Job[] }>('GET', '/v1/runs', asking),
  run: (id: string, asking?: Asking) => ask<Job>('GET', `/v1/runs/${at(id)}`, asking),
  startRun: (request: RunRequest) => ask<Job>('POST', '/v1/runs', { body: request }),
  stopRun: (id: string) => ask<Job>('POST', `/v1/runs/${at(id)}/stop`),
  endRun: (id: string) => ask<Job>('DELETE', `/v1/runs/${at(id)}`),

  imports: (asking?: Asking) => ask<{ jobs: Job[] }>('GET', '/v1/imports', asking),
  import: (id: string, asking?: Asking) => ask<Job>('GET', `/v1/imports/${at(id)}`, asking),
  startImport: (request: { name: string; format: 'csv' | 'jsonl'; text: string }) =>
    ask<Job>('POST', '/v1/imports', { body: request }),

  keys: (asking?: Asking) => ask<{ keys: KeyEntry[] }>('GET', '/v1/keys', asking),
  makeKey: (request: { name: string; scopes: KeyEntry['scopes'] }) =>
    ask<KeyEntry & { key: string }>('POST', '/v1/keys', { body: request }),
  revokeKey: (id: string) => ask<{ id: string }>('DELETE', `/v1/keys/${at(id)}`),
} as const
