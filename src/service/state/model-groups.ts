// Assigns users to variants, and variants to model groups. With `models: 'own'` each variant is a
// group with its own recommender. With `shared` all variants are one group and differ in their
// policies.

import { describeValue } from '../../core/describe-value.ts'
import { RenError } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import type { ExplorationPolicy } from '../../exploration/index.ts'
import type { Engine } from '../../kernels/index.ts'
import {
  recommenderSettings,
  type MethodSettings,
  type Recommender,
  type RecommenderSettings,
  type WeightUpdate,
} from '../../recommender/index.ts'
import { defaultBlend, type Blend } from '../../relevance/index.ts'
import type { CompleteVariant, CompleteSettings } from '../complete-settings.ts'

/** The assignment of users to variants, by a hash of the user's name. It needs no memory. */
export type Split = ReturnType<typeof createSplit>

/** The name of the group of all variants if they share a model. */
const sharedGroup = 'shared'

/** Users keep their variants as long as the variants, their shares and the seed do not change. */
export function createSplit(settings: Pick<CompleteSettings, 'variants' | 'models' | 'seed'>) {
  const { variants, models, seed } = settings
  // The name of the stream determines the assignment of every user. Do not rename it.
  const random = createRandom(seed).fork('arms')
  const total = variants.reduce((sum, { share }) => sum + share, 0)
  // Rounding may leave a remainder above the last threshold: it goes to the last variant with a share.
  const last = variants.findLast(({ share }) => share > 0)!
  const groups = new Map(
    variants.map(({ name }) => [name, models === 'shared' ? sharedGroup : name] as const),
  )
  return {
    variantOf(user: string): CompleteVariant {
      if (variants.length === 1) return last
      let left = random.fork(user).uniform() * total
      for (const variant of variants) {
        left -= variant.share
        if (left < 0) return variant
      }
      return last
    },
    /** The name of the group of a variant; null if the variant does not exist. */
    groupOf: (variant: string) => groups.get(variant) ?? null,
  }
}

/** A group as plain data, which the learner thread also uses. */
export interface ModelGroupPlan {
  readonly name: string
  readonly method: string
  readonly settings: MethodSettings
  readonly variants: readonly CompleteVariant[]
}

export interface ModelGroup extends ModelGroupPlan {
  readonly recommender: Recommender
  /** By the name of the variant. */
  readonly policies: ReadonlyMap<string, ExplorationPolicy>
  /** The version of the served weights. */
  readonly version: number
  /** Serves an update from the next request on. */
  adopt(update: WeightUpdate, version: number): void
}

/**
 * The training defaults of a service. An update trains on the new events and as many old ones, and
 * only changes the rows of items in them. The softmax loss involves all items, so it changes all rows.
 */
const trainingDefaults = (
  { loss }: MethodSettings,
  relevance: CompleteSettings['relevance'],
): MethodSettings => ({
  // The blend needs log-probabilities, which ranking losses learn.
  ...(relevance === 'blend' && { loss: 'ranking', rate: 0.003, fineTuneSteps: 5 }),
  optimizer: loss === 'softmax' ? 'adam' : 'lazy-adam',
  replay: 'as-many',
})

type Plans = Pick<CompleteSettings, 'variants' | 'models' | 'relevance'>

export function modelGroupPlans({ variants, models, relevance }: Plans) {
  const planOf = (name: string, members: readonly CompleteVariant[]): ModelGroupPlan => {
    const { method, settings } = members[0]!
    const usual = trainingDefaults(settings, relevance)
    return { name, method, settings: { ...usual, ...settings }, variants: members }
  }
  return models === 'shared'
    ? [planOf(sharedGroup, variants)]
    : variants.map((variant) => planOf(variant.name, [variant]))
}

/** The settings of a group's recommender, in the main thread and in the learner thread. */
export function groupSettings(
  engine: Engine,
  { method, settings, variants }: ModelGroupPlan,
  { attributionWindow, learning, maxPerUser }: LearningPlan,
): RecommenderSettings {
  const { maxUsers, holdOut, tolerance } = learning
  const { fineTune, ...rest } = recommenderSettings(engine, method, settings)
  const reader = variants
    .map((variant) => recommenderSettings(engine, variant.method, variant.settings).policy)
    .find((policy) => policy.rewardObjective !== undefined)
  return {
    ...rest,
    rewardObjective: reader?.rewardObjective,
    rewardSource: reader?.rewardSource,
    maxPerUser,
    fineTune: { ...fineTune, attributionWindow, maxUsers, holdOut, tolerance },
  }
}

/** Throws if no group has the name. */
export function groupNamed(groups: readonly ModelGroup[], name: string): ModelGroup {
  const group = groups.find((one) => one.name === name)
  if (group !== undefined) return group
  const message = `group must be one of ${namesOf(groups)}, got ${describeValue(name)}`
  throw new RenError('not-found', message, { path: 'group' })
}

export const namesOf = (groups: readonly ModelGroup[]): string =>
  groups.map(({ name }) => name).join(', ')

type LearningPlan = Pick<CompleteSettings, 'attributionWindow' | 'learning' | 'maxPerUser'>

/** Additional settings in the main thread: the learner's recommender does not rank. */
export function servingSettings(
  { relevance, clock }: Pick<CompleteSettings, 'relevance' | 'clock'>,
  blend: Blend = defaultBlend,
): Pick<RecommenderSettings, 'blend' | 'judge' | 'pauseBlend'> {
  if (relevance === 'model') return {}
  // The blend pauses until the log is replayed.
  return { blend, judge: { clock }, pauseBlend: true }
}

/** @param own The settings of the recommender, with the policy of the first variant. */
export function createGroup(
  plan: ModelGroupPlan,
  recommender: Recommender,
  own: RecommenderSettings,
  firstVersion: number,
): ModelGroup {
  const { engine } = recommender.model
  let version = firstVersion
  const policyOf = ({ method, settings }: CompleteVariant, index: number): ExplorationPolicy =>
    index === 0 ? own.policy : recommenderSettings(engine, method, settings).policy
  return {
    ...plan,
    recommender,
    policies: new Map(
      plan.variants.map((variant, index) => [variant.name, policyOf(variant, index)]),
    ),
    get version() {
      return version
    },
    adopt(update, next) {
      recommender.adopt(update)
      version = next
    },
  }
}

/** Finds the variant and the model group that serve a user. */
export function assignUsers(groups: readonly ModelGroup[], split: Split) {
  const byVariant = new Map(
    groups.flatMap((group) => group.variants.map(({ name }) => [name, group])),
  )
  return (user: string) => {
    const variant = split.variantOf(user)
    return { variant, group: byVariant.get(variant.name)! }
  }
}
