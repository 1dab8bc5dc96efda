// The routes of recommendations, for one user or many, and of events. Rejected events of a batch do not
// affect the others.

import { Type } from 'typebox'

import { invalidAt, joinPath, RenError, within } from '../../../core/errors.ts'
import { errorIn, failureOf } from '../failures.ts'
import { addRoute, at } from '../operations.ts'
import type { App } from '../server.ts'
import { failure, failureOfAll, failures } from '../../schemas/failure.ts'
import * as requests from '../../schemas/requests.ts'
import type { Service, ServiceRequest, UserEvent } from '../../service.ts'
import type { LogHandler } from '../../settings.ts'
import type { Tally } from '../prometheus.ts'
import { recommendations, served, timeline } from '../../schemas/recommendation.ts'
import * as t from '../../schemas/builders.ts'
import { checkOf, valid } from '../../validator.ts'

/** Runs a request together with the others of the same turn of the event loop. */
type Batching = <T>(work: () => Promise<T>) => Promise<T>

/** Requests per batch. More wait for the next one, so that the first ones are not delayed. */
const maxBatch = 16

/**
 * Batches requests that arrive in the same turn of the event loop: reads all of them, then serves them
 * one after another. The kernels and the HTTP code each stay in the processor's caches.
 */
export function createBatching(): Batching {
  let waiting: (() => void)[] = []

  function run(): void {
    const now = waiting.slice(0, maxBatch)
    waiting = waiting.slice(maxBatch)
    if (waiting.length > 0) setImmediate(run)
    for (const work of now) work()
  }

  return (work) =>
    new Promise((resolve) => {
      if (waiting.push(() => resolve(Promise.try(work))) === 1) setImmediate(run)
    })
}

const checkRequests = checkOf(requests.recommendRequests, 'body')

/** Serves one request or many as JSON. The service checks each request. */
function createServing(service: Service, tally: Tally, onLogMessage: LogHandler) {
  const inBatch = createBatching()

  /** @param part The part of the request that `body` is, for paths of errors. */
  async function serve(body: unknown, part = 'body'): Promise<string> {
    const request = body as ServiceRequest
    const afterPosition = request?.afterPosition
    try {
      if (afterPosition !== undefined) await requireWritten(service, afterPosition)
      const answer = await inBatch(() => service.recommendJson(request))
      tally.recommendations++
      return answer
    } catch (error) {
      throw errorIn(part, error)
    }
  }

  async function serveMany(body: unknown): Promise<string> {
    const { requests: all } = within('body', () => valid(checkRequests(body)))
    const results = all.map((request, i) =>
      serve(request, `body.requests[${i}]`).catch((error: unknown) =>
        JSON.stringify(failureOf(error, onLogMessage).body),
      ),
    )
    return `{"results":[${(await Promise.all(results)).join(',')}]}`
  }

  return { serve, serveMany }
}

/** Refuses a position beyond the end of the log: the request would wait until the timeout. */
async function requireWritten(service: Service, position: number): Promise<void> {
  if (position <= service.position) return
  const head = await service.store.head()
  if (position <= head) return
  throw invalidAt(
    'afterPosition',
    `must be a position of the log, at most ${head}, got ${position}`,
  )
}

export function recommendationRoutes(
  app: App,
  service: Service,
  tally: Tally,
  onLogMessage: LogHandler,
): void {
  const { serve, serveMany } = createServing(service, tally, onLogMessage)

  app.route({
    ...at('recommend'),
    schema: {
      body: t.shownAs(
        t.anyObject,
        Type.Union([requests.recommendRequest, requests.recommendRequests]),
      ),
      response: { 200: t.asText(Type.Union([served, recommendations])), ...failures },
    },
    handler({ body }, reply) {
      reply.type('application/json; charset=utf-8')
      return 'requests' in body ? serveMany(body) : serve(body)
    },
  })

  const params = t.closed({ id: t.field('The id of the recommendation.', t.name) })
  addRoute(app, 'recommendation', { params, answer: timeline }, async ({ params: { id } }) => {
    const found = await service.recommendation(id)
    if (found) return found
    throw new RenError('not-found', `there is no recommendation ${JSON.stringify(id)}`)
  })
}

const checkEvents = checkOf(requests.userEvents, 'body')

export function eventRoutes(app: App, service: Service, tally: Tally): void {
  app.route({
    ...at('record'),
    schema: {
      body: t.shownAs(t.anyObject, Type.Union([requests.userEvent, requests.userEvents])),
      response: {
        200: requests.recordReport,
        400: failureOfAll,
        422: failureOfAll,
        '4xx': failure,
        '5xx': failure,
      },
    },
    handler: async ({ body }, reply) => {
      const isBatch = 'events' in body
      const events = isBatch ? within('body', () => valid(checkEvents(body))).events : [body]
      // The service checks each event.
      const report = await service.record(events as readonly UserEvent[])
      const rejected = report.rejected.map(({ path = '', ...rest }) => {
        return { ...rest, path: joinPath(isBatch ? `body.events[${rest.index}]` : 'body', path) }
      })
      tally.accepted += report.accepted
      tally.repeated += report.repeated
      tally.rejected += rejected.length
      const [first] = rejected
      if (!first || rejected.length < events.length) return reply.send({ ...report, rejected })
      const { index: _, ...error } = first
      const areInvalid = rejected.every(({ code }) => code === 'invalid-argument')
      return reply.code(areInvalid ? 400 : 422).send({ error, rejected })
    },
  })
}
