// Groups of variants: each has one recommender, which its variants share. With a model of its own a variant is a
// group; over one model all variants are one group and differ in their policies.

import { RenError } from '../../core/errors.ts'
import type { ExplorationPolicy } from '../../exploration/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { recommenderSettings } from '../../recommender/index.ts'
import type {
  MethodSettings,
  Recommender,
  RecommenderSettings,
  WeightUpdate,
} from '../../recommender/index.ts'
import { defaultBlend } from '../../relevance/index.ts'
import type { Blend } from '../../relevance/index.ts'
import { sharedGroup } from '../serving/variants.ts'
import type { CompleteVariant, CompleteSettings } from '../complete-settings.ts'

/** A group as the settings have it: plain values, the same in the learner's thread. */
export interface ModelGroupPlan {
  readonly name: string
  readonly method: string
  readonly settings: MethodSettings
  readonly variants: readonly CompleteVariant[]
}

export interface ModelGroup extends ModelGroupPlan {
  readonly recommender: Recommender
  /** Of each variant, by its name. */
  readonly policies: ReadonlyMap<string, ExplorationPolicy>
  /** Of the weights it serves. */
  readonly version: number
  /** Serves these weights from the next request on. */
  adopt(update: WeightUpdate, version: number): void
}

/**
 * What a service sets where nobody does: an update trains on what is new and as much again, and moves
 * the rows that it looks at. To find who teaches it looks at every user once. Softmax looks at
 * every item, so there all of them move.
 */
const usualFor = (
  { loss }: MethodSettings,
  relevance: CompleteSettings['relevance'],
): MethodSettings => ({
  // Relevance that is blended is on the scale of log-probabilities, which ranking losses learn.
  ...(relevance === 'blend' && { loss: 'ranking', rate: 0.003, fineTuneSteps: 5 }),
  optimizer: loss === 'softmax' ? 'adam' : 'lazy-adam',
  replay: 'as-many',
})

type Plans = Pick<CompleteSettings, 'variants' | 'models' | 'relevance'>

export function modelGroupPlans({ variants, models, relevance }: Plans) {
  const planOf = (name: string, members: readonly CompleteVariant[]): ModelGroupPlan => {
    const { method, settings } = members[0]!
    const usual = usualFor(settings, relevance)
    return { name, method, settings: { ...usual, ...settings }, variants: members }
  }
  return models === 'shared'
    ? [planOf(sharedGroup, variants)]
    : variants.map((variant) => planOf(variant.name, [variant]))
}

/** How the recommender of a group serves and learns, in any thread. */
export function groupSettings(
  engine: Engine,
  { method, settings }: ModelGroupPlan,
  { attributionWindow, learning, maxPerUser }: LearningPlan,
): RecommenderSettings {
  const { maxUsers, holdOut, tolerance } = learning
  const { fineTune, ...rest } = recommenderSettings(engine, method, settings)
  return {
    ...rest,
    maxPerUser: maxPerUser,
    fineTune: { ...fineTune, attributionWindow, maxUsers, holdOut, tolerance },
  }
}

/** The group of a name; an error that says which there are. */
export function groupNamed(groups: readonly ModelGroup[], name: string): ModelGroup {
  const group = groups.find((one) => one.name === name)
  if (group !== undefined) return group
  throw new RenError('not-found', `no group is called ${name}; there are ${namesOf(groups)}`)
}

export const namesOf = (groups: readonly ModelGroup[]): string =>
  groups.map(({ name }) => name).join(', ')

type LearningPlan = Pick<CompleteSettings, 'attributionWindow' | 'learning' | 'maxPerUser'>

/** What only the thread that serves needs: the learner's recommender ranks nothing. */
export function servingSettings(
  { relevance, clock }: Pick<CompleteSettings, 'relevance' | 'clock'>,
  blend: Blend = defaultBlend,
): Pick<RecommenderSettings, 'blend' | 'judge' | 'pauseBlend'> {
  if (relevance === 'model') return {}
  // Until the log is replayed.
  return { blend, judge: { clock }, pauseBlend: true }
}

/** `own` is what the recommender was made with: it has the policy of the first variant. */
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
