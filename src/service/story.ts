// What was served under an id, and what came of it: read from the log.

import type { FeedbackGiven, Seen, Served, StoredEvent } from '../storage/index.ts'
import type { RecommendationStory } from './service.ts'
import type { ServiceParts } from './service-parts.ts'

export function createStory({
  store,
  settings,
  twin,
  split,
}: ServiceParts): (id: string) => Promise<RecommendationStory | null> {
  return async (id) => {
    const stored = await store.event(id)
    if (stored?.event.kind !== 'served') return null
    const { event: served, position } = stored as StoredEvent & { readonly event: Served }
    const answers = await store.answersTo(id)
    const isClosed = settings.clock() - served.time >= settings.attributionWindow
    const { user, time, arm, policy, modelVersion, context } = served
    const group = split.groupOf(arm)
    const learntUpTo =
      twin.model.current().find((version) => version.group === group)?.position ?? 0
    const first = answers.find(({ event }) => event.kind === 'feedback')?.position
    const teaches = first ?? (isClosed ? position : Infinity)
    return {
      recommendationId: id,
      user,
      time,
      arm,
      policy,
      modelVersion,
      position,
      ...(context !== undefined && { context }),
      items: outcomes(served, answers, isClosed),
      learnt: learntUpTo >= teaches,
    }
  }
}

/** Of each item, the last word on it. */
function outcomes(
  { items, counted }: Served,
  answers: readonly StoredEvent[],
  isClosed: boolean,
): RecommendationStory['items'] {
  const events = answers.map(({ event }) => event)
  const seen = events.findLast((event): event is Seen => event.kind === 'seen')
  const isSeen = (item: string) => seen?.items.includes(item) ?? counted
  return items.map((served) => {
    const feedback = events.findLast(
      (event): event is FeedbackGiven => event.kind === 'feedback' && event.item === served.item,
    )
    const taken = feedback !== undefined
    const untold = isClosed && isSeen(served.item) ? 0 : null
    return {
      ...served,
      reward: feedback?.reward ?? untold,
      seen: taken || isSeen(served.item),
      taken,
    }
  })
}
