// Policies, uncertainty estimators and the theory of the paper as functions: the entry point `ren-
// recommender/exploration`.

export { createBaseRenPolicy, createBaseRen, restoreBaseRen } from './base-ren.ts'
export type {
  BaseRenPolicyOptions,
  ArmEstimate,
  BaseRen,
  BaseRenOptions,
  SavedBaseRen,
} from './base-ren.ts'
export { bestPicks } from './best-rows.ts'
export {
  createChampionRandomPolicy,
  createEpsilonGreedyPolicy,
  createGreedyPolicy,
  createPopularityPolicy,
  createRandomPolicy,
} from './simple-policies.ts'
export { createCountUncertainty, createLearnedUncertainty } from './uncertainty.ts'
export type {
  CountedEvidence,
  CountRule,
  CountUncertaintyOptions,
  Evidence,
  SavedTensor,
  UncertaintyEstimator,
} from './uncertainty.ts'
export { createDesignMatrix } from './design-matrix.ts'
export type { DesignMatrix, DesignMatrixOptions } from './design-matrix.ts'
export type { EpsilonGreedyOptions } from './simple-policies.ts'
export { createGreedyDppPolicy } from './greedy-dpp.ts'
export type { GreedyDppOptions } from './greedy-dpp.ts'
export { createLinTsPolicy, createLinUcbPolicy } from './linear-policies.ts'
export type { LinTsOptions, LinUcbOptions } from './linear-policies.ts'
export { createNeuralUcbPolicy } from './neural-ucb.ts'
export type { NeuralUcbOptions } from './neural-ucb.ts'
export {
  createPolicy,
  policies,
  policyNames,
  policySettingNames,
  usualUncertaintyWeight,
} from './policies.ts'
export type { PolicyName, PolicySettings } from './policies.ts'
export type {
  AbsoluteWeights,
  ExplorationOverride,
  ExplorationSettings,
  ScaleFreeWeight,
  Decision,
  Explanation,
  ExplorationPolicy,
  ScoredItem,
  ScoreWeights,
  Slate,
} from '../core/types.ts'
export { createRenPolicy } from './ren.ts'
export type { RenOptions, RenPolicy } from './ren.ts'
export { createRenTsPolicy } from './ren-ts.ts'
export type { RenTsOptions } from './ren-ts.ts'
export type { PropensityOptions } from './sampled-slate.ts'
export { createSlatePolicy } from './slate-policy.ts'
export type { RowPick, SlatePolicyOptions, SlateRequest } from './slate-policy.ts'
export { createLaplaceUncertainty } from './laplace-uncertainty.ts'
export type { LaplaceOptions, LaplaceUncertainty } from './laplace-uncertainty.ts'
export { createSupRen, restoreSupRen } from './sup-ren.ts'
export { createSupRenSlates } from './sup-ren-slates.ts'
export type { SupRenSlates, SupRenSlatesOptions } from './sup-ren-slates.ts'
export type { SavedSupRen, SupRen, SupRenChoice, SupRenOptions } from './sup-ren.ts'
export {
  confidenceAlpha,
  confidenceWeights,
  confidenceWidth,
  correctedRegretConstant,
  eliminationLevels,
  firstInformativeHorizon,
  regretBound,
  statedRegretConstant,
  sumOfInverseRootsBound,
} from './theory.ts'
export { scaleFreeWeights } from './scale-free-weights.ts'
export type { BanditProblem, ConfidenceWeights } from './theory.ts'
