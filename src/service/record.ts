// What users did becomes lines of the log. One bad event does not keep the others out.

import { RenError } from '../core/errors.ts'
import type { CatalogueView } from '../recommender/index.ts'
import {
  invalid,
  requireKnown,
  requireList,
  requireNumber,
  requireObject,
  requireReward,
} from '../recommender/requirements.ts'
import type { NewEvent } from '../storage/index.ts'
import { requireName } from '../storage/plain-json.ts'
import { requireKeys } from './require-keys.ts'
import type { RecordReport, Rejected, UserEvent } from './service.ts'
import type { ServiceParts } from './service-parts.ts'

export function createRecord(
  parts: ServiceParts,
): (events: readonly UserEvent[]) => Promise<RecordReport> {
  const { catalogue, journal, follower, settings } = parts
  return async (events) => {
    requireList('events', events)
    const rejected: Rejected[] = []
    const lines: NewEvent[] = []
    /** The line of each accepted event that carries its id. */
    const main: number[] = []
    for (const [index, event] of events.entries()) {
      try {
        lines.push(...linesOf(event, catalogue, settings.clock))
        main.push(lines.length - 1)
      } catch (error) {
        if (!(error instanceof RenError)) throw error
        rejected.push({ index, code: error.code, message: error.message })
      }
    }
    if (lines.length === 0) {
      return { position: follower.position, accepted: 0, repeated: 0, rejected }
    }
    const { results } = await journal.append(lines)
    const position = results.reduce((last, result) => Math.max(last, result.position), 0)
    await follower.reached(position)
    const repeated = main.filter((line) => results[line]!.repeated).length
    return { position, accepted: main.length - repeated, repeated, rejected }
  }
}

const keys = ['id', 'user', 'item', 'reward', 'recommendationId', 'impressions', 'time'] as const

/** What was seen comes before what was taken from it; the last line has the event's id. */
function linesOf(
  event: UserEvent,
  catalogue: CatalogueView,
  clock: () => number,
): readonly NewEvent[] {
  requireUserEvent(event, catalogue)
  const { id, user, item, reward = 1, recommendationId, impressions, time = clock() } = event
  const lines: NewEvent[] = []
  const idOf = (suffix: string) => (id === undefined ? {} : { id: `${id}${suffix}` })
  if (impressions !== undefined) {
    const seen = { kind: 'seen', user, recommendationId: recommendationId!, time } as const
    lines.push({
      ...idOf(item === undefined ? '' : ' seen'),
      event: { ...seen, items: [...impressions] },
    })
  }
  if (item !== undefined) {
    const answer = recommendationId === undefined ? {} : { recommendationId }
    // JSON has no −0.
    const feedback = { kind: 'feedback', user, item, reward: reward + 0, time } as const
    lines.push({ ...idOf(''), event: { ...feedback, ...answer } })
  }
  return lines
}

function requireUserEvent(event: UserEvent, catalogue: CatalogueView): void {
  requireObject('event', event)
  requireKeys('event', event, keys)
  const { id, user, item, reward, recommendationId, impressions, time } = event
  requireName(user, 'user')
  if (id !== undefined) requireName(id, 'id')
  if (time !== undefined) requireNumber('time', time)
  if (recommendationId !== undefined) requireName(recommendationId, 'recommendationId')
  if (item === undefined && impressions === undefined) {
    throw invalid('an event must have an item, or impressions of a recommendation')
  }
  if (item !== undefined) requireKnown('item', [item], catalogue)
  if (reward !== undefined) {
    requireReward('reward', reward)
    if (item === undefined) throw invalid('reward: there is no item that it is for')
  }
  if (impressions === undefined) return
  requireKnown('impressions', impressions, catalogue)
  if (recommendationId === undefined) {
    throw invalid('impressions: recommendationId must say which slate they are of')
  }
}
