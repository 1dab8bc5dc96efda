// What users did becomes lines of the log. One bad event does not keep the others out.

import { RenError } from '../../core/errors.ts'
import type { CatalogView } from '../../recommender/index.ts'
import {
  invalid,
  requireKnown,
  requireList,
  requireNumber,
  requireObject,
  requireReward,
} from '../../recommender/requirements.ts'
import type { NewEvent } from '../../storage/index.ts'
import { requireText } from '../../storage/plain-json.ts'
import { requireKeys } from '../complete-settings.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { RecordReport, Rejected, UserEvent } from '../service.ts'

export function createRecord(
  dependencies: Pick<ServiceParts, 'catalog' | 'journal' | 'tailer' | 'settings'>,
): (events: readonly UserEvent[]) => Promise<RecordReport> {
  const { catalog, journal, tailer, settings } = dependencies
  return async (events) => {
    requireList('events', events)
    const rejected: Rejected[] = []
    const lines: NewEvent[] = []
    /** The last line of each accepted event, which says whether it is a repeated one. */
    const main: number[] = []
    for (const [index, event] of events.entries()) {
      try {
        lines.push(...linesOf(event, catalog, settings.clock()))
        main.push(lines.length - 1)
      } catch (error) {
        if (!(error instanceof RenError)) throw error
        rejected.push({ index, code: error.code, message: error.message })
      }
    }
    if (lines.length === 0) {
      return { position: tailer.position, accepted: 0, repeated: 0, rejected }
    }
    const { results } = await journal.append(lines)
    const position = results.reduce((last, result) => Math.max(last, result.position), 0)
    await tailer.applied(position)
    const repeated = main.filter((line) => results[line]!.repeated).length
    return { position, accepted: main.length - repeated, repeated, rejected }
  }
}

const keys = ['id', 'user', 'item', 'reward', 'recommendationId', 'impressions', 'time'] as const

/**
 * What was seen comes before what was taken from it. An id is one of its kind: recommendations have
 * ids in the same log, without a space in them.
 */
function linesOf(event: UserEvent, catalog: CatalogView, now: number): readonly NewEvent[] {
  requireUserEvent(event, catalog, now)
  const { id, user, item, reward = 1, recommendationId, impressions, time = now } = event
  const lines: NewEvent[] = []
  // The prefixes are data: stores of every version have ids with them.
  const idOf = (prefix: 'feedback' | 'seen') => (id === undefined ? {} : { id: `${prefix} ${id}` })
  if (impressions !== undefined) {
    const seen = { kind: 'impressions', user, recommendationId: recommendationId!, time } as const
    lines.push({ ...idOf('seen'), event: { ...seen, items: [...impressions] } })
  }
  if (item !== undefined) {
    const answer = recommendationId === undefined ? {} : { recommendationId }
    // JSON has no −0.
    const interaction = { kind: 'interaction', user, item, reward: reward + 0, time } as const
    lines.push({ ...idOf('feedback'), event: { ...interaction, ...answer } })
  }
  return lines
}

function requireUserEvent(event: UserEvent, catalog: CatalogView, now: number): void {
  requireObject('event', event)
  requireKeys('event', event, keys)
  const { id, user, item, reward, recommendationId, impressions, time } = event
  requireText(user, 'user')
  if (id !== undefined) requireText(id, 'id')
  if (time !== undefined) requireTime(time, now)
  if (recommendationId !== undefined) requireText(recommendationId, 'recommendationId')
  if (item === undefined && impressions === undefined) {
    throw invalid('an event must have an item, or impressions of a recommendation')
  }
  if (item !== undefined) requireKnown('item', [item], catalog)
  if (reward !== undefined) {
    requireReward('reward', reward)
    if (item === undefined) throw invalid('reward: there is no item that it is for')
  }
  if (impressions === undefined) return
  requireKnown('impressions', impressions, catalog)
  if (recommendationId === undefined) {
    throw invalid('impressions: recommendationId must say which slate they are of')
  }
}

/** How far the clocks of others may be ahead, in milliseconds. */
const maxAhead = 86_400_000

/** Times of a user never fall: one far ahead would be the time of all that comes after it. */
function requireTime(time: number, now: number): void {
  requireNumber('time', time)
  if (time >= 0 && time <= now + maxAhead) return
  throw invalid(
    'time must be in milliseconds, from 1970 to a day from now ' +
      `(${Math.floor(now + maxAhead)}), got ${time}`,
  )
}
