// Policies, uncertainty estimators and the theory of the paper as functions: the entry point
// `ren-recommender/exploration`.

export { createBaseRen } from './base-ren.ts'
export type { ArmEstimate, BaseRen, BaseRenOptions } from './base-ren.ts'
export { createCountUncertainty, createLearnedUncertainty } from './uncertainty.ts'
export type {
  CountedEvidence,
  CountRule,
  CountUncertaintyOptions,
  Evidence,
  UncertaintyEstimator,
} from './uncertainty.ts'
export { createDesignMatrix } from './design-matrix.ts'
export type { DesignMatrix } from './design-matrix.ts'
export { createPolicy, policies, policyNames, requirePolicySettings } from './policies.ts'
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
export { createRenPolicy, scaleFreeWeights } from './ren.ts'
export type { RenPolicy } from './ren.ts'
export type { RenOptions } from './ren-settings.ts'
export { bestPicks, createSlatePolicy } from './slate-policy.ts'
export type { PolicyFactory, RowPick, SlatePolicyOptions, SlateRequest } from './slate-policy.ts'
export type { SettingSchema, Settings, SettingsInput, SettingsSchema } from '../core/settings.ts'
export { createSupRen, createSupRenSlates } from './sup-ren.ts'
export type {
  SupRen,
  SupRenChoice,
  SupRenOptions,
  SupRenSlates,
  SupRenSlatesOptions,
} from './sup-ren.ts'
export { confidenceAlpha, confidenceWeights, confidenceWidth, eliminationLevels } from './theory.ts'
export type { BanditProblem } from './theory.ts'
