// Short forms of events and of the resulting state, for tests.

import { slateItems } from 'ren-recommender'
import { impressionFlags } from '../src/recommender/user-state.ts'
import type {
  ImpressionsEvent,
  InteractionEvent,
  RecommendationEvent,
  UserState,
} from 'ren-recommender/recommender'

export const shown = (user: string, items: string[], rewards?: number[]): RecommendationEvent => ({
  kind: 'recommendation',
  user,
  items: slateItems(items, rewards),
  time: 1,
})

export const chosen = (user: string, item: string, reward = 1, time = 1): InteractionEvent => ({
  kind: 'interaction',
  user,
  item,
  reward,
  time,
})

/** A slate of the user ann. */
export const slate = (id: string, items: string[], counted = true): RecommendationEvent => ({
  ...shown('ann', items),
  recommendationId: id,
  counted,
})

export const seen = (id: string, items: string[], user = 'ann'): ImpressionsEvent => ({
  kind: 'impressions',
  user,
  recommendationId: id,
  items,
})

export const chosenFrom = (id: string, item: string, reward = 1): InteractionEvent => ({
  ...chosen('ann', item, reward),
  recommendationId: id,
})

export function shownTo({ impressions }: UserState) {
  const { after, items, rewards, flags } = impressions.columns()
  return Array.from(after, (moment, i) => ({
    after: moment,
    item: items[i],
    reward: rewards[i],
    chosen: (flags[i]! & impressionFlags.chosen) !== 0,
  }))
}
