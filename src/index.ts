// Recommenders, their events, random streams and errors: the entry point `ren-recommender`.

export { RenError, errorCodes } from './core/errors.ts'
export type { ErrorCode } from './core/errors.ts'
export { slateItems } from './core/events.ts'
export type * from './core/events.ts'
export { byUser, filterRows, sortLog } from './core/log.ts'
export type { InteractionLog, TestSequence, UserSequence } from './core/log.ts'
export { createRandom, restoreRandom } from './core/random.ts'
export type { MutableArrayLike, Random } from './core/random.ts'
export type { ItemIndex, Matrix } from './core/types.ts'
export {
  createMethod,
  createRecommender,
  presetNames,
  presets,
  recommenderSettings,
  restoreRecommender,
} from './recommender/index.ts'
export type {
  MethodOptions,
  MethodSettings,
  PresetName,
  Recommendation,
  RecommendedItem,
  Recommender,
  RecommenderOptions,
  RecommenderSettings,
  RecommendRequest,
} from './recommender/index.ts'
