// Front door of exploration: the seams, the policies by name, and what they are made of.

export { createBaseRenPolicy } from './base-ren-policy.ts'
export type { BaseRenPolicyOptions } from './base-ren-policy.ts'
export { bestPicks } from './best-picks.ts'
export { createChampionRandomPolicy } from './champion-random.ts'
export { createCountUncertainty } from './count-uncertainty.ts'
export type { CountedEvidence, CountRule, CountUncertaintyOptions } from './count-uncertainty.ts'
export { createDesignMatrix } from './design-matrix.ts'
export type { DesignMatrix, DesignMatrixOptions } from './design-matrix.ts'
export { createEpsilonGreedyPolicy } from './epsilon-greedy.ts'
export type { EpsilonGreedyOptions } from './epsilon-greedy.ts'
export { createGreedyDppPolicy } from './greedy-dpp.ts'
export type { GreedyDppOptions } from './greedy-dpp.ts'
export { createGreedyPolicy } from './greedy.ts'
export { createLinTsPolicy } from './lin-ts.ts'
export type { LinTsOptions } from './lin-ts.ts'
export { createLinUcbPolicy } from './lin-ucb.ts'
export type { LinUcbOptions } from './lin-ucb.ts'
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
  Decision,
  Explanation,
  ExplorationPolicy,
  ScoredItem,
  ScoreWeights,
  Slate,
} from './policy.ts'
export { createPopularityPolicy } from './popularity.ts'
export { createRandomPolicy } from './random.ts'
export { createRenPolicy } from './ren-policy.ts'
export type { AbsoluteWeights, RenOptions, RenPolicy, ScaleFreeWeight } from './ren-policy.ts'
export { createRenTsPolicy } from './ren-ts.ts'
export type { RenTsOptions } from './ren-ts.ts'
export type { PropensityOptions } from './sampled-slate.ts'
export { createSlatePolicy } from './slate-policy.ts'
export type { RowPick, SlatePolicyOptions, SlateRequest } from './slate-policy.ts'
export type { Evidence, SavedTensor, UncertaintyEstimator } from './uncertainty.ts'
export { createBaseRen, restoreBaseRen } from './base-ren.ts'
export type { ArmEstimate, BaseRen, BaseRenOptions, SavedBaseRen } from './base-ren.ts'
export { createLaplaceUncertainty } from './laplace-uncertainty.ts'
export type { LaplaceOptions, LaplaceUncertainty } from './laplace-uncertainty.ts'
export { createLearnedUncertainty } from './learned-uncertainty.ts'
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
