// Recommenders and what they are made of: methods, presets, state, training and snapshots. The
// entry point `ren-recommender/recommender`.

export type { CountChange } from '../core/types.ts'
export type { CatalogView } from './catalog.ts'
export type * from '../core/events.ts'
export { slateItems } from '../core/events.ts'
export { hasStart, newItemBatches } from './catalog.ts'
export type { ObservedEvent, UserJoined } from './recommender-api.ts'
export { fitServedBlend } from './fit-blend.ts'
export type { TrainingProgress } from './full-training.ts'
export type { MappedItems, Place } from './item-map.ts'
export type { MapBasis } from './item-map.ts'
export { refusalOf } from './judge-model.ts'
export type { Judgment } from './judge-model.ts'
export type { FineTuneSettings, LearningReport } from './learning.ts'
export type { FeedbackKind } from './training-examples.ts'
export {
  architectureOf,
  cannotTrainFully,
  createMethod,
  methodOf,
  recommenderSettings,
  requireMethod,
} from './methods.ts'
export type { Method, MethodExtras, MethodOptions, MethodSettings } from './methods.ts'
export { itemNamesIn, modelFileFrom, openModelFile, requireModelOf } from './model-file.ts'
export type { OpenModelFile } from './model-file.ts'
export { packHistories } from './held-out.ts'
export type { PackedHistories } from './held-out.ts'
export { createPreset, presetNames, presets } from './presets.ts'
export type { Preset, PresetName, PresetOptions } from './presets.ts'
export { createRecommender, restoreFromParts, restoreRecommender } from './recommender.ts'
export type {
  Recommendation,
  RecommendedItem,
  Recommender,
  RecommenderOptions,
  RecommenderSettings,
} from './recommender.ts'
export type {
  JudgedMethod,
  JudgedQuality,
  JudgedScope,
  SavedJudging,
  ServedParts,
} from './prequential.ts'
export type { RelevanceReasons } from './explain-relevance.ts'
export type { FittedBlend } from './fit-blend.ts'
export type { Pin, RecommendRequest } from './recommender-api.ts'
export { largestReward } from './requirements.ts'
export type { SimilarItem, SimilarityParts } from './similar-items.ts'
export type { SavedRecommender } from './snapshot.ts'
export { startItemsFromMemory } from './full-training.ts'
export { foldEvents } from './state.ts'
export type { State, StateContents } from './state.ts'
export { runTraining } from './full-training.ts'
export type { Baseline, TrainingRun, TrainingRunResult } from './full-training.ts'
export { impressionFlags } from './seen-items.ts'
export type { MaxPerUser } from './seen-items.ts'
export type { UserState } from './user-state.ts'
export { requireFiniteUpdate, updateFrom, updateFromTrained } from './weight-update.ts'
export type { Learnt, WeightUpdate, WeightWatch } from './weight-update.ts'
