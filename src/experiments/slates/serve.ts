// Slates for users of whom nothing is known at first: what they have rated of a slate joins their
// history, and nothing else is learnt.

import { createCountUncertainty, createPolicy } from '../../exploration/index.ts'
import type { ExplorationPolicy, UncertaintyEstimator } from '../../exploration/index.ts'
import type { SequenceModel } from '../../models/index.ts'
import { createRecommender } from '../../recommender/index.ts'
import type { Recommender } from '../../recommender/index.ts'
import { precision, recall } from '../../simulation/index.ts'
import type { SlateSettings } from './settings.ts'
import type { Split, TestedUser } from './split.ts'

export interface Served {
  /** What the first slate held. */
  readonly firstSlate: readonly string[]
  /** After each step: of the user's ratings in the other half of the movies. */
  readonly holdOutRecall: readonly number[]
  /** After each step: of the user's ratings among the movies that can be shown. */
  readonly explorationRecall: readonly number[]
  /** Of each slate. */
  readonly precision: readonly number[]
  /** What it took to choose all slates. */
  readonly milliseconds: number
}

export interface Setting {
  readonly model: SequenceModel
  readonly split: Split
  readonly settings: Pick<SlateSettings, 'steps' | 'slateSize' | 'exclude'>
  readonly seed: number
}

/** The slates of every tested user; each is served as if there were no other. */
export function serveSlates(setting: Setting, policy: ExplorationPolicy): readonly Served[] {
  const { split } = setting
  const server = recommenderOf(setting, withCounts(policy, split.counts), split.holdOut)
  const judge = createJudge(setting)
  return split.tested.map((user) => serveUser(setting, server, judge, user))
}

/** The hold-out recall of the users once these histories of theirs are known; a value a user. */
export function holdOutRecallAfter(
  setting: Setting,
  historyOf: (user: TestedUser) => readonly string[],
): readonly number[] {
  const judge = createJudge(setting)
  return setting.split.tested.map((user) => {
    judge.learn(user, historyOf(user))
    return judge.recall(user)
  })
}

function serveUser(
  { settings: { steps, slateSize: count, exclude } }: Setting,
  server: Recommender,
  judge: Judge,
  tested: TestedUser,
): Served {
  const user = tested.name
  const wanted = new Set(tested.exploration)
  const [found, shown] = [new Set<string>(), new Set<string>()]
  const barred = { shown, hits: found, nothing: new Set<string>() }[exclude]
  const curves = { holdOutRecall: [], explorationRecall: [], precision: [] } as Record<
    'holdOutRecall' | 'explorationRecall' | 'precision',
    number[]
  >
  let firstSlate: readonly string[] = []
  let milliseconds = 0
  for (let step = 0; step < steps; step++) {
    const start = performance.now()
    const { items } = server.recommend({ user, count, exclude: [...barred] })
    milliseconds += performance.now() - start
    const slate = items.map(({ item }) => item)
    if (step === 0) firstSlate = slate
    const hits = slate.filter((item) => wanted.has(item) && !found.has(item))
    server.observe({ kind: 'shown', user, items: slate, time: step })
    for (const item of slate) shown.add(item)
    for (const item of hits) found.add(item)
    take(server, user, hits, step)
    judge.learn(tested, hits)
    curves.holdOutRecall.push(judge.recall(tested))
    curves.explorationRecall.push(found.size / wanted.size)
    curves.precision.push(precision(slate.map((item) => wanted.has(item))))
  }
  return { ...curves, firstSlate, milliseconds }
}

function take(recommender: Recommender, user: string, items: readonly string[], time: number) {
  for (const item of items) recommender.observe({ kind: 'taken', user, item, reward: 1, time })
}

/** Follows users from hit to hit, and tells how well the model would now predict the other half. */
interface Judge {
  learn(user: TestedUser, hits: readonly string[]): void
  recall(user: TestedUser): number
}

function createJudge(setting: Setting): Judge {
  const { model, split, settings } = setting
  const recommender = recommenderOf(
    setting,
    createPolicy(model.engine, 'greedy'),
    split.exploration,
  )
  return {
    learn: ({ name }, hits) => take(recommender, name, hits, 0),
    recall({ name, holdOut }) {
      const wanted = new Set(holdOut)
      const { items } = recommender.recommend({ user: name, count: settings.slateSize })
      return recall(
        items.map(({ item }) => wanted.has(item)),
        wanted.size,
      )
    },
  }
}

/** σ_k = 1/√n_k with n_k the ratings that the model has learnt from. */
function recommenderOf(
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
  const recommender = createRecommender({ model, policy, itemNames, seed, uncertainty })
  recommender.removeItems(without)
  return recommender
}

/** The policy, popular to which is what those had rated that the model has learnt from. */
const withCounts = (policy: ExplorationPolicy, counts: Float32Array): ExplorationPolicy => ({
  ...policy,
  choose: (decision, slateSize) => policy.choose({ ...decision, takes: counts }, slateSize),
})
