// Recommendations: for one user or many, and the timeline of one with its feedback.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import { failureOf } from '../failures.ts'
import { at } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import { recommendRequest, recommendRequests } from '../../schemas/requests.ts'
import type { Service, ServiceRequest } from '../../service.ts'
import type { LogMessage } from '../../settings.ts'
import type { Tally } from '../prometheus.ts'
import { recommendations, served, timeline } from '../../schemas/recommendation.ts'
import * as t from '../../schemas/words.ts'
import { checkOf, valid } from '../../validator.ts'

// Requests that arrive in one turn of the event loop are answered after each other, once all of them
// are read: what the kernels and HTTP each need stays in the processor's caches meanwhile.

/** Does the work with the other work of this turn; the answers leave when all of it is done. */
type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** What is more waits for the next turn, so that whoever came first does not wait for many. */
const maxAtOnce = 16

export function createTurns(): Turns {
  let waiting: (() => void)[] = []

  function run(): void {
    const now = waiting.slice(0, maxAtOnce)
    waiting = waiting.slice(maxAtOnce)
    if (waiting.length > 0) setImmediate(run)
    for (const work of now) work()
  }

  return (work) =>
    new Promise((resolve) => {
      if (waiting.push(() => resolve(Promise.try(work))) === 1) setImmediate(run)
    })
}

const checkRequests = checkOf(recommendRequests, 'body')

/** Answers one request, or many, as JSON. The service checks each request. */
function createServing(
  service: Service,
  tally: Tally,
  onLogMessage: (logMessage: LogMessage) => void,
) {
  const inTurn = createTurns()

  async function serve(body: unknown): Promise<string> {
    const request = body as ServiceRequest
    const afterPosition = request?.afterPosition
    if (afterPosition !== undefined) await requireWritten(service, afterPosition)
    const answer = await inTurn(() => service.recommendJson(request))
    tally.recommendations++
    return answer
  }

  async function serveMany(body: unknown): Promise<string> {
    const { requests } = valid(checkRequests(body))
    const results = requests.map((request) =>
      serve(request).catch((error: unknown) => JSON.stringify(failureOf(error, onLogMessage).body)),
    )
    return `{"results":[${(await Promise.all(results)).join(',')}]}`
  }

  return { serve, serveMany }
}

/** A request that waits for a position that is not in the log would wait for nothing. */
async function requireWritten(service: Service, position: number): Promise<void> {
  if (position <= service.position) return
  const head = await service.store.head()
  if (position <= head) return
  throw new RenError(
    'invalid-argument',
    `request.afterPosition: expected a position of the log, at most ${head}, got ${position}`,
  )
}

export function recommendationRoutes(
  app: App,
  service: Service,
  tally: Tally,
  onLogMessage: (logMessage: LogMessage) => void,
): void {
  const { serve, serveMany } = createServing(service, tally, onLogMessage)

  app.route({
    ...at('recommend'),
    schema: {
      body: t.shownAs(t.anyObject, Type.Union([recommendRequest, recommendRequests])),
      response: { 200: t.asText(Type.Union([served, recommendations])), ...failures },
    },
    handler({ body }, reply) {
      reply.type('application/json; charset=utf-8')
      return 'requests' in body ? serveMany(body) : serve(body)
    },
  })

  app.route({
    ...at('recommendation'),
    schema: { params: t.closed({ id: t.name }), response: { 200: timeline, ...failures } },
    handler: async ({ params: { id } }) => {
      const found = await service.recommendation(id)
      if (found) return found
      throw new RenError('not-found', `there is no recommendation ${JSON.stringify(id)}`)
    },
  })
}
