// Records events of users in the log. An invalid event does not affect the others.

import { invalidAt, RenError } from '../../core/errors.ts'
import { day } from '../../core/time-units.ts'
import type { CatalogView } from '../../recommender/index.ts'
import { requireKnown, requireList } from '../../recommender/requirements.ts'
import type { NewEvent } from '../../storage/index.ts'
import { userEvent } from '../schemas/requests.ts'
import type { ServiceParts } from '../service-api.ts'
import type { Rejected, Service, UserEvent } from '../service.ts'
import { checkOf, valid } from '../validator.ts'

export function createRecord({
  settings,
  store,
  journal,
  tailer,
  state: { catalog },
}: Pick<ServiceParts, 'settings' | 'store' | 'journal' | 'tailer' | 'state'>): Service['record'] {
  return async (events) => {
    // The catalog is current: changes of items are applied before their response.
    tailer.beginCall()
    requireList('events', events)
    const read = () => readEvents(events, catalog, settings.clock())
    const first = read()
    const mayBeNew = store.shared !== null && first.rejected.some(isUnknownItem)
    // Another service may just have added the item.
    if (mayBeNew) await tailer.applyLatest()
    const { lines, main, rejected } = mayBeNew ? read() : first
    if (lines.length === 0) {
      tailer.applyReceived()
      return { position: tailer.position, accepted: 0, repeated: 0, rejected }
    }
    const { results } = await journal.append(lines)
    const position = results.reduce((last, result) => Math.max(last, result.position), 0)
    await tailer.received(position)
    const repeated = main.filter((line) => results[line]!.repeated).length
    return { position, accepted: main.length - repeated, repeated, rejected }
  }
}

const isUnknownItem = ({ code }: Rejected): boolean => code === 'unknown-item'

function readEvents(events: readonly UserEvent[], catalog: CatalogView, now: number) {
  const rejected: Rejected[] = []
  const lines: NewEvent[] = []
  /** The index of the last line of each accepted event, which tells whether its id is repeated. */
  const main: number[] = []
  for (const [index, event] of events.entries()) {
    try {
      lines.push(...linesOf(event, catalog, now))
      main.push(lines.length - 1)
    } catch (error) {
      if (!(error instanceof RenError)) throw error
      const { code, message, path } = error
      rejected.push({ index, code, message, ...(path !== undefined && { path }) })
    }
  }
  return { lines, main, rejected }
}

/** Impressions come before the interaction. The prefix keeps both ids apart in the log. */
function linesOf(given: UserEvent, catalog: CatalogView, now: number): readonly NewEvent[] {
  const checked = requireUserEvent(given, catalog, now)
  const { id, user, item, reward = 1, type, recommendationId, impressions, time = now } = checked
  const lines: NewEvent[] = []
  // The prefixes are stored data: do not rename them.
  const idOf = (prefix: 'feedback' | 'seen') => (id === undefined ? {} : { id: `${prefix} ${id}` })
  if (impressions !== undefined) {
    const event = { kind: 'impressions', user, recommendationId: recommendationId!, time } as const
    lines.push({ ...idOf('seen'), event: { ...event, items: [...impressions] } })
  }
  if (item !== undefined) {
    const event = {
      kind: 'interaction',
      user,
      item,
      // Turns −0, which JSON cannot represent, into 0.
      reward: reward + 0,
      time,
      ...(type !== undefined && { type }),
      ...(recommendationId !== undefined && { recommendationId }),
    } as const
    lines.push({ ...idOf('feedback'), event })
  }
  return lines
}

const checkEvent = checkOf(userEvent, 'event')

function requireUserEvent(given: UserEvent, catalog: CatalogView, now: number): UserEvent {
  const event = valid(checkEvent(given))
  const { item, reward, type, recommendationId, impressions, time } = event
  if (time !== undefined) requireTime(time, now)
  if (item === undefined && impressions === undefined) {
    throw invalidAt('item', 'is required, or impressions')
  }
  if (item !== undefined) catalog.row(item, 'item')
  if (reward !== undefined && item === undefined) {
    throw invalidAt('item', 'is required with a reward')
  }
  if (type !== undefined && item === undefined) {
    throw invalidAt('item', 'is required with a type')
  }
  if (impressions === undefined) return event
  requireKnown('impressions', impressions, catalog)
  if (recommendationId !== undefined) return event
  throw invalidAt('recommendationId', 'is required with impressions')
}

/**
 * Refuses times more than a day ahead. A user's times never decrease, so a time far in the future
 * would become the time of all later events.
 */
function requireTime(time: number, now: number): void {
  const max = now + day
  if (time <= max) return
  const latest = `at most a day from now (${Math.floor(max)})`
  throw invalidAt('time', `must be in milliseconds since 1970, ${latest}, got ${time}`)
}
