// The transition memory, the blend of all parts, and ranking quality.

export {
  choiceOf,
  clickRateFeature,
  completeBlend,
  contestedChoice,
  createTypicalRate,
  defaultBlend,
  fitWeights,
  memoryFeature,
  memoryRule,
  memoryRuleWith,
  normalizations,
  optimisticRateFeature,
  partNames,
  popularityFeature,
} from './blend.ts'
export type { Blend, BlendWeights, Choice, PartName } from './blend.ts'
export { itemFactors, transitionFactors } from './factors.ts'
export {
  QualityMeter,
  gainOf,
  isClearlyBelow,
  minIndependent,
  minJudged,
  qualityOf,
} from './quality-meter.ts'
export type { Quality, SavedMeter } from './quality-meter.ts'
export { Memory } from './memory.ts'
export type { MemoryRule, Normalization } from './memory.ts'
export { Transitions, transitionWindow } from './transition-counts.ts'
export type { Backward } from './transition-counts.ts'
