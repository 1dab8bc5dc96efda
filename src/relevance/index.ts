// Front door of relevance: the transition memory, the blend of all parts, and the judge.

export {
  clickRateFeature,
  defaultBlend,
  fitWeights,
  memoryFeature,
  memoryRule,
  partNames,
  popularityFeature,
} from './blend.ts'
export type { Blend, BlendWeights, Choice, PartName } from './blend.ts'
export { createTypicalRate, optimisticRateFeature } from './blend.ts'
export { itemFactors, transitionFactors } from './factors.ts'
export type { FactorOptions } from './factors.ts'
export { createQualityMeter, firstTenOf, isClearlyBelow, minJudged, qualityOf } from './judge.ts'
export type { Quality, QualityMeter, SavedMeter } from './judge.ts'
export { createMemory } from './memory.ts'
export type { Memory, MemoryReason, MemoryRule, MemoryScores } from './memory.ts'
export { createTransitions, transitionWindow } from './transition-counts.ts'
export type { Backward, Transitions } from './transition-counts.ts'
