// What users did. One bad event of many is reported by its index, and the others are kept.

import { Type } from 'typebox'

import type { ErrorCode } from '../../../core/errors.ts'
import type { RecordReport, Rejected, UserEvent } from '../../service.ts'
import { limits } from '../limits.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { rejected as rejectedEvent, failure, failureOfAll } from '../schemas/failure.ts'
import {
  answers,
  batchOf,
  closed,
  finite,
  list,
  name,
  names,
  position,
  timeToTell,
  wholeNumber,
  anyObject,
  shownAs,
} from '../schemas/words.ts'
import { checkOf, valid } from '../validator.ts'

export const userEvent = closed(
  {
    id: Type.Optional(name),
    user: name,
    item: Type.Optional(name),
    reward: Type.Optional(finite),
    recommendationId: Type.Optional(name),
    impressions: Type.Optional(names(limits.count)),
    time: Type.Optional(timeToTell),
  },
  'UserEvent',
)

export const userEvents = batchOf('events', userEvent, limits.events, 'UserEvents')

const recordReport = answers<RecordReport>()(
  closed(
    {
      position,
      accepted: wholeNumber(0),
      repeated: wholeNumber(0),
      rejected: list(rejectedEvent),
    },
    'RecordReport',
  ),
)

const checkEvent = checkOf(userEvent, 'event')
const checkEvents = checkOf(userEvents, 'body')

export function eventRoutes(app: App, { service, tally }: Parts): void {
  app.route({
    ...at('record'),
    schema: {
      body: shownAs(anyObject, Type.Union([userEvent, userEvents])),
      response: {
        200: recordReport,
        400: failureOfAll,
        422: failureOfAll,
        '4xx': failure,
        '5xx': failure,
      },
    },
    handler: async ({ body }, reply) => {
      const events = 'events' in body ? valid(checkEvents(body)).events : [body]
      const { good, indices, malformed } = sort(events)
      const report = await recordGood(good)
      const refused = report.rejected.map((one) => ({ ...one, index: indices[one.index]! }))
      const rejected = [...malformed, ...refused].toSorted((a, b) => a.index - b.index)
      tally.accepted += report.accepted
      tally.repeated += report.repeated
      tally.rejected += rejected.length
      const [first] = rejected
      if (!first || rejected.length < events.length) return reply.send({ ...report, rejected })
      const error = { code: first.code as ErrorCode, message: first.message }
      return reply.code(refused.length > 0 ? 422 : 400).send({ error, rejected })
    },
  })

  const recordGood = async (events: readonly UserEvent[]): Promise<RecordReport> =>
    events.length > 0
      ? service.record(events)
      : { position: service.position, accepted: 0, repeated: 0, rejected: [] }
}

/** Events that are of the right form, with where they stood, and what is wrong with the others. */
function sort(events: readonly unknown[]) {
  const good: UserEvent[] = []
  const indices: number[] = []
  const malformed: Rejected[] = []
  for (const [index, event] of events.entries()) {
    const checked = checkEvent(event)
    if ('value' in checked) {
      good.push(checked.value)
      indices.push(index)
    } else {
      const { code, message } = checked.error
      malformed.push({ index, code, message })
    }
  }
  return { good, indices, malformed }
}
