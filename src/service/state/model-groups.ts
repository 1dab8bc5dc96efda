// Which variant serves a user, and the groups of variants that share a recommender. With a model of its
// own a variant is a group; over one model all variants are one group and differ in their policies.

import { RenError } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
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
import type { CompleteVariant, CompleteSettings } from '../complete-settings.ts'

/** A user's variant is a hash of the user's name: it needs no memory, and never changes. */
export interface Split {
  variantOf(user: string): CompleteVariant
  /** The name of the group that learns from a variant; null where there is no such variant. */
  groupOf(variant: string): string | null
}

/** The one group of all variants where they share a model. */
const sharedGroup = 'shared'

/** Users stay in their variants while the variants, their shares and the seed stay. */
export function createSplit({
  variants,
  models,
  seed,
}: Pick<CompleteSettings, 'variants' | 'models' | 'seed'>): Split {
  // The name of the stream is part of every user's assignment: it stays, whatever variants are called.
  const random = createRandom(seed).fork('arms')
  const total = variants.reduce((sum, { share }) => sum + share, 0)
  // Rounding may leave a sliver above the last threshold: it belongs to the last variant with a share.
  const last = variants.findLast(({ share }) => share > 0)!
  const groups = new Map(
    variants.map(({ name }) => [name, models === 'shared' ? sharedGroup : name] as const),
  )
  return {
    variantOf(user) {
      if (variants.length === 1) return last
      let left = random.fork(user).uniform() * total
      for (const variant of variants) {
        left -= variant.share
        if (left < 0) return variant
      }
      return last
    },
    groupOf: (variant) => groups.get(variant) ?? null,
  }
}

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

/** Who serves a user. */
export interface ServedBy {
  readonly variant: CompleteVariant
  readonly group: ModelGroup
}

export function assignUsers(
  groups: readonly ModelGroup[],
  split: Split,
): (user: string) => ServedBy {
  const byVariant = new Map(
    groups.flatMap((group) => group.variants.map(({ name }) => [name, group])),
  )
  return (user) => {
    const variant = split.variantOf(user)
    return { variant, group: byVariant.get(variant.name)! }
  }
}
