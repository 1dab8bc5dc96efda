// Serves slates by recommenders that share the model of a run and its counts of ratings.

import { slateItems } from '../../src/core/events.ts'
import { createRandom } from '../../src/core/random.ts'
import type { Random } from '../../src/core/random.ts'
import type { Split, TestedUser } from './split.ts'
import { createCountUncertainty, createPolicy } from '../../src/exploration/index.ts'
import type { ExplorationPolicy, UncertaintyEstimator } from '../../src/exploration/index.ts'
import type { SequenceModel } from '../../src/models/index.ts'
import { createRecommender } from '../../src/recommender/index.ts'
import type { Recommender } from '../../src/recommender/index.ts'
import { precision, recall } from '../../src/simulation/index.ts'
import type { SlateSettings } from './settings.ts'

/** Everything that the methods of a run share. */
export interface Setting {
  readonly model: SequenceModel
  readonly split: Split
  readonly settings: Pick<SlateSettings, 'steps' | 'slateSize' | 'cutoff' | 'exclude' | 'timed'>
  readonly seed: number
}

/**
 * A recommender of all movies except those in `without`. The number of ratings of a movie by the users
 * who trained the model is its popularity, and n_k in σ_k = 1/√n_k.
 */
export function recommenderOf(
  { model, split: { itemNames, counts }, seed }: Setting,
  policy: ExplorationPolicy,
  without: readonly string[],
): Recommender {
  const deviations = new Float32Array(itemNames.length)
  createCountUncertainty().estimate({ impressions: counts }, deviations)
  const uncertainty: UncertaintyEstimator = {
    name: 'training-counts',
    estimate: (_, out) => out.set(deviations),
  }
  const informed: ExplorationPolicy = {
    name: policy.name,
    choose: (decision, slateSize) =>
      policy.choose({ ...decision, interactions: counts }, slateSize),
  }
  const recommender = createRecommender({ model, policy: informed, itemNames, seed, uncertainty })
  recommender.removeItems(without)
  return recommender
}

/** Adds items to the history of a user, in the given order. */
export function take(
  recommender: Recommender,
  user: string,
  items: readonly string[],
  time: number,
): void {
  for (const item of items)
    recommender.observe({ kind: 'interaction', user, item, reward: 1, time })
}

/** Evaluates users after each of their hits. */
export interface Judge {
  learn(user: TestedUser, hits: readonly string[]): void
  /** The recall of the user's ratings among the most relevant movies that are never shown. */
  holdOutRecall(user: TestedUser): number
}

export function createJudge(setting: Setting): Judge {
  const { model, split, settings } = setting
  const greedy = createPolicy(model.engine, 'greedy')
  const recommender = recommenderOf(setting, greedy, split.exploration)
  return {
    learn: ({ name }, hits) => take(recommender, name, hits, 0),
    holdOutRecall({ name, holdOut }) {
      const wanted = new Set(holdOut)
      const { items } = recommender.recommend({ user: name, count: settings.cutoff })
      const hits = items.map(({ item }) => wanted.has(item))
      return recall(hits, wanted.size)
    },
  }
}

/** Histories of a user without slates: empty, or everything that slates could reveal. */
export const knownHistories = {
  'no-history': () => [],
  /** In order of time. */
  oracle: ({ exploration }) => exploration,
  'oracle-shuffled': ({ exploration }, random) => {
    const items = [...exploration]
    random.shuffle(items)
    return items
  },
} as const satisfies Record<string, (user: TestedUser, random: Random) => readonly string[]>

export type KnownHistory = keyof typeof knownHistories

/** The hold-out recall of each tested user with a known history. */
export function holdOutRecallAfter(setting: Setting, known: KnownHistory): readonly number[] {
  const judge = createJudge(setting)
  const random = createRandom(setting.seed).fork(known)
  return setting.split.tested.map((user) => {
    judge.learn(user, knownHistories[known](user, random.fork(user.name)))
    return judge.holdOutRecall(user)
  })
}

/** The measures after each step. Recall counts all slates so far, precision the last one. */
export type Curve = 'holdOutRecall' | 'explorationRecall' | 'precision'

/** The slates of one user, and their measures. */
export interface Served extends Readonly<Record<Curve, readonly number[]>> {
  readonly slates: readonly (readonly string[])[]
  /** The time to choose all slates. */
  readonly milliseconds: number
}

/** The slates of every tested user. Users do not affect each other. */
export function serveSlates(setting: Setting, policy: ExplorationPolicy): readonly Served[] {
  const { tested, holdOut } = setting.split
  const server = recommenderOf(setting, policy, holdOut)
  const judge = createJudge(setting)
  return tested.map((user) => serveUser(setting, server, judge, user))
}

function serveUser(
  { settings: { steps, slateSize: count, exclude } }: Setting,
  server: Recommender,
  judge: Judge,
  tested: TestedUser,
): Served {
  const user = tested.name
  const wanted = new Set(tested.exploration)
  const [shown, found] = [new Set<string>(), new Set<string>()]
  const barred = { shown, hits: found, nothing: new Set<string>() }[exclude]
  const curves: Record<Curve, number[]> = {
    holdOutRecall: [],
    explorationRecall: [],
    precision: [],
  }
  const slates: string[][] = []
  let milliseconds = 0
  for (let step = 0; step < steps; step++) {
    const start = performance.now()
    const { items } = server.recommend({ user, count, exclude: [...barred] })
    milliseconds += performance.now() - start
    const slate = items.map(({ item }) => item)
    const hits = slate.filter((item) => wanted.has(item) && !found.has(item))
    server.observe({ kind: 'recommendation', user, items: slateItems(slate), time: step })
    take(server, user, hits, step)
    judge.learn(tested, hits)
    slates.push(slate)
    for (const item of slate) shown.add(item)
    for (const item of hits) found.add(item)
    curves.holdOutRecall.push(judge.holdOutRecall(tested))
    curves.explorationRecall.push(found.size / wanted.size)
    curves.precision.push(precision(slate.map((item) => wanted.has(item))))
  }
  return { ...curves, slates, milliseconds }
}
