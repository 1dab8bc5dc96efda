// The timeline of a recommendation: the served slate and its feedback, from the log, or from memory
// until the slate is in the log.

import { sum } from '../../core/statistics.ts'
import {
  userOf,
  type EventStore,
  type ImpressionsEvent,
  type InteractionEvent,
  type LoggedRecommendation,
  type Position,
  type StoredEvent,
} from '../../storage/index.ts'
import type { ServiceParts } from '../service-api.ts'
import type { Service } from '../service.ts'
import type { RecommendationTimeline } from '../schemas/recommendation.ts'

export function createTimeline({
  store,
  settings,
  learner,
  state,
  pendingSlates,
  tailer,
}: Pick<
  ServiceParts,
  'store' | 'settings' | 'learner' | 'state' | 'pendingSlates' | 'tailer'
>): Service['recommendation'] {
  async function slateOf(id: string): Promise<Slate | null> {
    const pending = pendingSlates.get(id)
    if (pending !== undefined) return { served: pending, position: null, answers: [] }
    const stored = await store.event(id)
    if (stored?.event.kind !== 'recommendation') return null
    const { event: served, position } = stored
    return { served, position, answers: await ownAnswers(store, id, served.user, position) }
  }

  /** Without an interaction, the slate becomes a training example when its attribution window ends. */
  function isTrainedOn({ served, position, answers }: Slate, isClosed: boolean): boolean {
    const group = state.split.groupOf(served.variant)
    const current = learner.model.current().find((version) => version.group === group)
    const interaction = answers.find(({ event }) => event.kind === 'interaction')?.position
    const example = interaction ?? (isClosed ? position : null) ?? Infinity
    return (current?.position ?? 0) >= example
  }

  return async (id) => {
    tailer.beginRead()
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
      trained: isTrainedOn(slate, isClosed),
    }
  }
}

interface Slate {
  readonly served: LoggedRecommendation
  readonly position: Position | null
  /** The feedback of its user, in order. */
  readonly answers: readonly StoredEvent[]
}

/** The feedback of the user who got the slate, also under a name that the user was merged into. */
async function ownAnswers(
  store: EventStore,
  id: string,
  owner: string,
  since: Position,
): Promise<readonly StoredEvent[]> {
  const own: StoredEvent[] = []
  for (const answer of await store.feedbackOn(id)) {
    const user = userOf(answer.event)
    if (user === null) continue
    const isOwn = user === owner || (await hasBecome(store, owner, user, since, answer.position))
    if (isOwn) own.push(answer)
  }
  return own
}

const pageLength = 500

/** Whether a user was merged into another between two positions, directly or through others. */
async function hasBecome(
  store: EventStore,
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

/** For each item, the sum of its rewards, and whether the latest impressions include it. */
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
      chosen: reported.some(({ reward }) => reward > 0),
    }
  })
}
