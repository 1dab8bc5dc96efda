// Events in short, and what became of them, for tests of the state.

import { impressionFlags } from 'ren-recommender/recommender'
import type { Seen, Shown, Taken, UserState } from 'ren-recommender/recommender'

export const shown = (user: string, items: string[], rewards?: number[]): Shown => ({
  kind: 'shown',
  user,
  items,
  time: 1,
  ...(rewards && { rewards }),
})

export const taken = (user: string, item: string, reward = 1, time = 1): Taken => ({
  kind: 'taken',
  user,
  item,
  reward,
  time,
})

/** A slate of ann's. */
export const slate = (id: string, items: string[], counted = true): Shown => ({
  ...shown('ann', items),
  recommendationId: id,
  counted,
})

export const seen = (id: string, items: string[], user = 'ann'): Seen => ({
  kind: 'seen',
  user,
  recommendationId: id,
  items,
})

export const takenFrom = (id: string, item: string, reward = 1): Taken => ({
  ...taken('ann', item, reward),
  recommendationId: id,
})

export function shownTo({ impressions }: UserState) {
  const { after, items, rewards, flags } = impressions.columns()
  return Array.from(after, (moment, i) => ({
    after: moment,
    item: items[i],
    reward: rewards[i],
    taken: (flags[i]! & impressionFlags.taken) !== 0,
  }))
}
