// Front door of the recommender: what serves, what it hears, and the ready-made compositions.

export type { CatalogueView } from './catalogue.ts'
export type { ItemsAdded, ItemsRemoved, RenEvent, Shown, Taken, UserForgotten } from './events.ts'
export type { FeedbackKind, FineTuneSettings } from './learning.ts'
export { createMethod, methodOf, requireMethod } from './methods.ts'
export type { Method, MethodOptions, MethodSettings } from './methods.ts'
export { createPreset, presetNames, presets } from './presets.ts'
export type { Preset, PresetName, PresetOptions } from './presets.ts'
export { createRecommender, restoreRecommender } from './recommender.ts'
export type {
  Recommendation,
  RecommendedItem,
  Recommender,
  RecommenderOptions,
  RecommenderSettings,
} from './recommender.ts'
export type { RecommendRequest } from './requests.ts'
export { largestReward } from './requirements.ts'
export { foldEvents } from './state.ts'
export type { Impression, State, StateContents, UserState } from './state.ts'
