// The timeline of a recommendation: the served slate and its feedback, read from the log, or from
// memory while the events are on their way there.

import { sum } from '../../core/statistics.ts'
import type {
  EventStore,
  ImpressionsEvent,
  InteractionEvent,
  LoggedRecommendation,
  Position,
  StoredEvent,
} from '../../storage/index.ts'
import { userOf } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { ModelApi } from '../service.ts'
import type { RecommendationTimeline } from '../schemas/recommendation.ts'
import type { Split } from '../state/model-groups.ts'
import type { PendingSlates } from './served-slates.ts'

interface Dependencies {
  readonly store: Pick<EventStore, 'event' | 'answersTo' | 'eventsOf'>
  readonly settings: Pick<CompleteSettings, 'clock' | 'attributionWindow'>
  readonly model: Pick<ModelApi, 'current'>
  readonly split: Pick<Split, 'groupOf'>
  readonly pendingSlates: PendingSlates
  /** Aborts when the service closes. */
  readonly ended: AbortSignal
}

export function createTimeline({
  store,
  settings,
  model,
  split,
  pendingSlates,
  ended,
}: Dependencies): (id: string) => Promise<RecommendationTimeline | null> {
  async function slateOf(id: string): Promise<Slate | null> {
    const pending = pendingSlates.get(id)
    if (pending !== undefined) return { served: pending, position: null, answers: [] }
    const stored = await store.event(id)
    if (stored?.event.kind !== 'recommendation') return null
    const { event: served, position } = stored
    return { served, position, answers: await ownAnswers(store, id, served.user, position) }
  }

  function isLearnt({ served, position, answers }: Slate, isClosed: boolean): boolean {
    const group = split.groupOf(served.variant)
    const current = model.current().find((version) => version.group === group)
    const first = answers.find(({ event }) => event.kind === 'interaction')?.position
    const teaches = first ?? (isClosed ? position : null) ?? Infinity
    return (current?.position ?? 0) >= teaches
  }

  return async (id) => {
    ended.throwIfAborted()
    const slate = await slateOf(id)
    if (slate === null) return null
    const { served, position } = slate
    const { user, time, variant, policy, modelVersion, context } = served
    const isClosed = settings.clock() - time >= settings.attributionWindow
    return {
      recommendationId: id,
      user,
      time,
      variant,
      policy,
      modelVersion,
      position,
      ...(context !== undefined && { context }),
      items: outcomes(slate, isClosed),
      learnt: isLearnt(slate, isClosed),
    }
  }
}

interface Slate {
  readonly served: LoggedRecommendation
  readonly position: Position | null
  /** Of its user, in order. */
  readonly answers: readonly StoredEvent[]
}

/** Anybody may name a recommendation: what counts is what its user said, under any name. */
async function ownAnswers(
  store: Dependencies['store'],
  id: string,
  owner: string,
  since: Position,
): Promise<readonly StoredEvent[]> {
  const own: StoredEvent[] = []
  for (const answer of await store.answersTo(id)) {
    const user = userOf(answer.event)
    if (user === null) continue
    const isOwn = user === owner || (await hasBecome(store, owner, user, since, answer.position))
    if (isOwn) own.push(answer)
  }
  return own
}

const pageLength = 500

/** Whether a user was merged into another between two positions, be it by way of others. */
async function hasBecome(
  store: Dependencies['store'],
  from: string,
  into: string,
  after: Position,
  before: Position,
): Promise<boolean> {
  const events = await store.eventsOf(into, { before, limit: pageLength })
  for (const { event, position } of events) {
    if (position <= after) return false
    if (event.kind !== 'users-merged') continue
    if (event.from === from || (await hasBecome(store, from, event.from, after, position))) {
      return true
    }
  }
  const last = events.at(-1)?.position
  const isMore = events.length === pageLength && last !== undefined
  return isMore && hasBecome(store, from, into, after, last)
}

/** Per item, the sum of its reported rewards, and whether the last report says that it was seen. */
function outcomes(
  { served: { items, counted }, answers }: Slate,
  isClosed: boolean,
): RecommendationTimeline['items'] {
  const events = answers.map(({ event }) => event)
  const seen = events.findLast((event): event is ImpressionsEvent => event.kind === 'impressions')
  const isSeen = (item: string) => seen?.items.includes(item) ?? counted
  return items.map((served) => {
    const reported = events
      .filter((event): event is InteractionEvent => event.kind === 'interaction')
      .filter(({ item }) => item === served.item)
    const unreported = isClosed && isSeen(served.item) ? 0 : null
    return {
      ...served,
      reward: reported.length > 0 ? sum(reported.map(({ reward }) => reward)) : unreported,
      seen: reported.length > 0 || isSeen(served.item),
      taken: reported.some(({ reward }) => reward > 0),
    }
  })
}
