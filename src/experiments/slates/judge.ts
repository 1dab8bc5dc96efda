// How well the model predicts what a user has rated of the movies that are never shown, from what is
// known of the user so far.

import { createRandom } from '../../core/random.ts'
import type { Random } from '../../core/random.ts'
import { createPolicy } from '../../exploration/index.ts'
import { recall } from '../../simulation/index.ts'
import { recommenderOf, take } from './recommenders.ts'
import type { Setting } from './recommenders.ts'
import type { TestedUser } from './split.ts'

/** Follows users from hit to hit. */
export interface Judge {
  learn(user: TestedUser, hits: readonly string[]): void
  /** Of the user's ratings, among the most relevant movies that are never shown. */
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

/** What may be known of a user without a slate: nothing, or all that slates could bring out. */
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

/** The hold-out recall of each tested user, once so much is known. */
export function holdOutRecallAfter(setting: Setting, known: KnownHistory): readonly number[] {
  const judge = createJudge(setting)
  const random = createRandom(setting.seed).fork(known)
  return setting.split.tested.map((user) => {
    judge.learn(user, knownHistories[known](user, random.fork(user.name)))
    return judge.holdOutRecall(user)
  })
}
