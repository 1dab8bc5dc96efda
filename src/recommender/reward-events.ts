// Reports events to the reward model of a recommender: what was shown, and which rewards followed.

import type { InteractionEvent, RecommendationEvent } from '../core/events.ts'
import type { ItemIndex } from '../core/types.ts'
import { PairMemory } from '../exploration/pair-memory.ts'
import type { RewardModel } from '../exploration/reward-model.ts'
import { findSlate, impressionFlags, slotOf, wasSeen, type MutableUser } from './user-state.ts'

/**
 * Reports a slate, and whether the user left the last one without a choice. Call it before the slate
 * joins the user. Items whose impressions are yet to be confirmed count then.
 */
export function reportSlate(
  model: RewardModel,
  user: MutableUser,
  { items, counted = true }: RecommendationEvent,
  rows: Int32Array,
): void {
  user.pairs ??= new PairMemory()
  const last = findSlate(user, undefined)
  if (last !== undefined && last.rewards.every(Number.isNaN)) {
    model.left(
      user.pairs,
      last.items.filter((_, at) => wasSeen(last.flags[at]!)),
    )
  }
  const relevance = items.map((item) => item.relevance ?? Number.NaN)
  model.offered(user.pairs, rows, relevance)
  const rewards = items.map(({ reward }) => reward ?? Number.NaN)
  if (counted) model.shown(user.pairs, { items: rows, rewards })
}

/** Reports items whose impressions were confirmed, and whose rewards are not known. */
export function reportSeen(
  model: RewardModel,
  user: MutableUser,
  items: readonly ItemIndex[],
): void {
  if (items.length === 0) return
  user.pairs ??= new PairMemory()
  model.shown(user.pairs, { items, rewards: items.map(() => Number.NaN) })
}

/** Reports an interaction. Call it before the reward joins the user's slate. */
export function reportInteraction(
  model: RewardModel,
  user: MutableUser,
  item: ItemIndex,
  { reward, recommendationId }: InteractionEvent,
): void {
  const slate = findSlate(user, recommendationId)
  if (slate?.items.includes(item) !== true) {
    model.interacted(item, reward)
    return
  }
  const slot = slotOf(slate, item, reward)
  if (slot < 0) return
  user.pairs ??= new PairMemory()
  const { items, rewards, flags } = slate
  const isUnseen = (at: number): boolean => (flags[at]! & impressionFlags.unseen) !== 0
  if (isUnseen(slot)) reportSeen(model, user, [item])
  const seen = [...items.keys()].filter((at) => at === slot || !isUnseen(at))
  const seenSlate = { items: seen.map((at) => items[at]!), rewards: seen.map((at) => rewards[at]!) }
  model.answered(user.pairs, seenSlate, seen.indexOf(slot), reward)
}
