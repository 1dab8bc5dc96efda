// The route that records events. Rejected events of a batch do not affect the others.

import { Type } from 'typebox'

import type { ErrorCode } from '../../../core/errors.ts'
import { recordReport, userEvent, userEvents } from '../../schemas/requests.ts'
import * as t from '../../schemas/words.ts'
import type { Service, UserEvent } from '../../service.ts'
import { checkOf, valid } from '../../validator.ts'
import type { App } from '../guard.ts'
import { at } from '../operations.ts'
import type { Tally } from '../prometheus.ts'
import { failure, failureOfAll } from '../../schemas/failure.ts'

const checkEvents = checkOf(userEvents, 'body')

export function eventRoutes(app: App, service: Service, tally: Tally): void {
  app.route({
    ...at('record'),
    schema: {
      body: t.shownAs(t.anyObject, Type.Union([userEvent, userEvents])),
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
      // The service checks each event.
      const report = await service.record(events as readonly UserEvent[])
      const { rejected } = report
      tally.accepted += report.accepted
      tally.repeated += report.repeated
      tally.rejected += rejected.length
      const [first] = rejected
      if (!first || rejected.length < events.length) return reply.send(report)
      const { index: _, code, ...rest } = first
      const error = { code: code as ErrorCode, ...rest }
      const areMalformed = rejected.every(({ path }) => path !== undefined)
      return reply.code(areMalformed ? 400 : 422).send({ error, rejected })
    },
  })
}
