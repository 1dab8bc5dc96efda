// Recommenders with their methods, presets, events and state: the entry point
// `ren-recommender/recommender`.

export type { CountChange } from '../core/types.ts'
export type * from '../core/events.ts'
export { slateItems } from '../core/events.ts'
export type { CatalogView } from './catalog.ts'
export type { MapBasis, MappedItems, Place } from './item-map.ts'
export type { FineTuneSettings, LearningReport } from './learning.ts'
export {
  architectureOf,
  cannotTrainFully,
  createMethod,
  learningSettings,
  methodOf,
  methodSettings,
  recommenderSettings,
  requireMethod,
} from './methods.ts'
export type { MethodExtras, MethodOptions, MethodSettings } from './methods.ts'
export { modelFileFrom } from './model-file.ts'
export type {
  JudgedMethod,
  JudgedQuality,
  JudgedScope,
  SavedJudging,
  ServedParts,
} from './prequential.ts'
export { presetNames, presets } from './presets.ts'
export type { Method, Preset, PresetName } from './presets.ts'
export type {
  ObservedEvent,
  Pin,
  Recommendation,
  RecommendedItem,
  Recommender,
  RecommenderOptions,
  RecommenderSettings,
  RecommendRequest,
  UserJoined,
} from './recommender-api.ts'
export { createRecommender, restoreRecommender } from './recommender.ts'
export type { RelevanceReasons } from './relevance.ts'
export { largestReward } from './requirements.ts'
export type { SimilarItem, SimilarityParts } from './similar-items.ts'
export type { SavedRecommender } from './snapshot.ts'
export { foldEvents } from './state.ts'
export type { MaxPerUser, State, StateContents } from './state.ts'
export type { FeedbackKind } from './training-examples.ts'
export type { UserState } from './user-state.ts'
export type { LearningProgress, WeightUpdate, WeightWatch } from './weight-update.ts'
