// Groups of arms: each has one recommender, which its arms share. With a model of its own an arm is a
// group; over one model all arms are one group and differ in their policies.

import { RenError } from '../core/errors.ts'
import type { ExplorationPolicy } from '../exploration/index.ts'
import type { Engine } from '../kernels/index.ts'
import { recommenderSettings } from '../recommender/index.ts'
import type {
  MethodSettings,
  Recommender,
  RecommenderSettings,
  WeightUpdate,
} from '../recommender/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import type { Blend } from '../relevance/index.ts'
import { sharedGroup } from './arms.ts'
import type { CompleteArm, CompleteSettings } from './complete-settings.ts'

/** A group as the settings have it: plain values, the same in the learner's thread. */
export interface GroupPlan {
  readonly name: string
  readonly method: string
  readonly settings: MethodSettings
  readonly arms: readonly CompleteArm[]
}

export interface Group extends GroupPlan {
  readonly recommender: Recommender
  /** Of each arm, by its name. */
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

type Plans = Pick<CompleteSettings, 'arms' | 'models' | 'relevance'>

export function groupPlans({ arms, models, relevance }: Plans) {
  const planOf = (name: string, members: readonly CompleteArm[]): GroupPlan => {
    const { method, settings } = members[0]!
    const usual = usualFor(settings, relevance)
    return { name, method, settings: { ...usual, ...settings }, arms: members }
  }
  return models === 'shared'
    ? [planOf(sharedGroup, arms)]
    : arms.map((arm) => planOf(arm.name, [arm]))
}

/** How the recommender of a group serves and learns, in any thread. */
export function groupSettings(
  engine: Engine,
  { method, settings }: GroupPlan,
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
export function groupNamed(groups: readonly Group[], name: string): Group {
  const group = groups.find((one) => one.name === name)
  if (group !== undefined) return group
  throw new RenError('not-found', `no group is called ${name}; there are ${namesOf(groups)}`)
}

export const namesOf = (groups: readonly Group[]): string =>
  groups.map(({ name }) => name).join(', ')

export type LearningPlan = Pick<CompleteSettings, 'attributionWindow' | 'learning' | 'maxPerUser'>

/** What only the thread that serves needs: the learner's recommender ranks nothing. */
export function servingSettings(
  { relevance, clock }: Pick<CompleteSettings, 'relevance' | 'clock'>,
  blend: Blend = defaultBlend,
): Pick<RecommenderSettings, 'blend' | 'judge' | 'pauseBlend'> {
  if (relevance === 'model') return {}
  // Until the log is replayed.
  return { blend, judge: { clock }, pauseBlend: true }
}

/** `own` is what the recommender was made with: it has the policy of the first arm. */
export function createGroup(
  plan: GroupPlan,
  recommender: Recommender,
  own: RecommenderSettings,
  firstVersion: number,
): Group {
  const { engine } = recommender.model
  let version = firstVersion
  const policyOf = ({ method, settings }: CompleteArm, index: number): ExplorationPolicy =>
    index === 0 ? own.policy : recommenderSettings(engine, method, settings).policy
  return {
    ...plan,
    recommender,
    policies: new Map(plan.arms.map((arm, index) => [arm.name, policyOf(arm, index)])),
    get version() {
      return version
    },
    adopt(update, next) {
      recommender.adopt(update)
      version = next
    },
  }
}
