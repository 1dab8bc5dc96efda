// The service and the HTTP server around it: the entry point `ren-recommender/service`.

export type { ExcludeSeen } from './serving/request-options.ts'
export type { Filter } from './serving/filter.ts'
export type { Job } from './schemas/jobs.ts'
export { makeKey } from './http/key-ring.ts'
export type { NewKey } from './http/key-ring.ts'
export { operations } from './http/operations.ts'
export type { Operation, OperationName } from './http/operations.ts'
export type { LabelSettings } from './http/labels.ts'
export type { RequestLine, ServerOptions } from './http/options.ts'
export type {
  DataFigures,
  ExcludeSeenStatus,
  Figures,
  SeriesPoint,
  ServiceMetrics,
  Status,
  VariantComparison,
  VariantDifference,
  VariantFigure,
  VariantKind,
} from './schemas/figures.ts'
export type { ItemInfo, ItemLabel, ItemMap, UserEntry, UserInfo } from './schemas/items.ts'
export type { HeldOut, ModelVersion, TrainingStatus, TrainOutcome } from './schemas/model.ts'
export type {
  RecommendationTimeline,
  ServedRecommendation,
  TermWeights,
} from './schemas/recommendation.ts'
export type { KeyEntry } from './http/routes/keys.ts'
export { createServer } from './http/server.ts'
export type { ListenAddress, Server } from './http/server.ts'
export type { ItemMapRequest } from './serving/item-map.ts'
export { openService } from './open-service.ts'
export type { GroupQuality, QualityPoint, QualitySummary } from './schemas/quality.ts'
export type { SimilarItem } from '../recommender/index.ts'
export type * from './runs.ts'
export type * from './service.ts'
export type * from './settings.ts'
