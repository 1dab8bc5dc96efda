// What users did becomes lines of the log. One bad event does not keep the others out.

import { invalid, RenError } from '../../core/errors.ts'
import type { CatalogView } from '../../recommender/index.ts'
import { requireKnown, requireList } from '../../recommender/requirements.ts'
import type { NewEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import { userEvent } from '../schemas/requests.ts'
import type { RecordReport, Rejected, UserEvent } from '../service.ts'
import { checkOf, valid } from '../validator.ts'
import type { Journal } from './journal.ts'
import type { Tailer } from './tailer.ts'

interface Dependencies {
  readonly catalog: CatalogView
  readonly journal: Pick<Journal, 'append'>
  readonly tailer: Pick<Tailer, 'applied' | 'position'>
  readonly settings: Pick<CompleteSettings, 'clock'>
  /** Aborts when the service closes. */
  readonly ended: AbortSignal
}

export function createRecord({
  catalog,
  journal,
  tailer,
  settings,
  ended,
}: Dependencies): (events: readonly UserEvent[]) => Promise<RecordReport> {
  return async (events) => {
    ended.throwIfAborted()
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
        const { code, message, path } = error
        rejected.push({ index, code, message, ...(path !== undefined && { path }) })
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

/**
 * What was seen comes before what was taken from it. An id is one of its kind: recommendations have
 * ids in the same log, without a space in them.
 */
function linesOf(given: UserEvent, catalog: CatalogView, now: number): readonly NewEvent[] {
  const event = requireUserEvent(given, catalog, now)
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

const checkEvent = checkOf(userEvent, 'event')

function requireUserEvent(given: UserEvent, catalog: CatalogView, now: number): UserEvent {
  const event = valid(checkEvent(given))
  const { item, reward, recommendationId, impressions, time } = event
  if (time !== undefined) requireTime(time, now)
  if (item === undefined && impressions === undefined) {
    throw invalid('an event must have an item, or impressions of a recommendation')
  }
  if (item !== undefined) requireKnown('item', [item], catalog)
  if (reward !== undefined && item === undefined) {
    throw invalid('reward: there is no item that it is for')
  }
  if (impressions === undefined) return event
  requireKnown('impressions', impressions, catalog)
  if (recommendationId !== undefined) return event
  throw invalid('impressions: recommendationId must say which slate they are of')
}

/** How far the clocks of others may be ahead, in milliseconds. */
const maxAhead = 86_400_000

/** Times of a user never fall: one far ahead would be the time of all that comes after it. */
function requireTime(time: number, now: number): void {
  if (time <= now + maxAhead) return
  throw invalid(
    'time must be in milliseconds, from 1970 to a day from now ' +
      `(${Math.floor(now + maxAhead)}), got ${time}`,
  )
}
