// Turns errors into responses: an error code, a status, and no internal details.

import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { describeValue } from '../../core/describe-value.ts'
import { errorCodes, RenError, type ErrorBody, type ErrorCode } from '../../core/errors.ts'
import type { LogHandler } from '../settings.ts'

/** The statuses of codes that clients can act on. All others are internal errors. */
export const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  'invalid-argument': 400,
  'shape-mismatch': 400,
  'non-finite-input': 400,
  'index-out-of-range': 400,
  'dataset-malformed': 400,
  'plan-invalid': 400,
  'key-required': 401,
  'key-refused': 401,
  'scope-missing': 403,
  'origin-refused': 403,
  'unknown-item': 404,
  'unknown-route': 404,
  'not-found': 404,
  'learning-off': 409,
  'mark-moved': 409,
  'too-large': 413,
  'content-type-refused': 415,
  'host-refused': 421,
  'rate-limited': 429,
  'not-available': 501,
  'store-failed': 503,
  'store-closed': 503,
  'service-closed': 503,
  'not-caught-up': 503,
}

export interface Failure {
  readonly error: ErrorBody
}

/** The response to an error. An unexpected error gets a reference and a log message. */
export function failureOf(
  error: unknown,
  onLogMessage: LogHandler,
): { readonly status: number; readonly body: Failure } {
  const known = error instanceof RenError ? error : refusalOf(error)
  const status = known && statuses[known.code]
  if (known && status) {
    const { code, message } = known
    if (status !== 503) return { status, body: { error: known.toJSON() } }
    // The message may name files of this machine, which only the operator should see.
    onLogMessage({ level: 'error', message, code })
    return { status, body: { error: { code, message: errorCodes[code] } } }
  }
  const reference = randomUUID()
  const what = error instanceof Error ? (error.stack ?? error.message) : describeValue(error)
  onLogMessage({
    level: 'error',
    message: `request failed (reference ${reference}): ${what}`,
    code: error instanceof RenError ? error.code : 'internal',
  })
  const message = `an unexpected error occurred; its reference is ${reference}`
  return { status: 500, body: { error: { code: 'internal', message } } }
}

/** The error for a request that fastify itself refused. */
function refusalOf(error: unknown): RenError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  const { statusCode, message } = error
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined
  const code = codesOfStatuses[statusCode] ?? 'invalid-argument'
  if (code !== 'content-type-refused') return new RenError(code, message)
  return new RenError(code, 'the Content-Type of the body must be application/json')
}

const codesOfStatuses: Readonly<Record<number, ErrorCode>> = {
  404: 'unknown-route',
  413: 'too-large',
  415: 'content-type-refused',
}

export function answerFailure(error: unknown, reply: FastifyReply, onLogMessage: LogHandler): void {
  const { status, body } = failureOf(error, onLogMessage)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (status === 429) reply.header('retry-after', 1)
  reply.code(status).send(body)
}

export const refuseRoute = (request: FastifyRequest, reply: FastifyReply): void => {
  const { method, url } = request
  const path = JSON.stringify(url.split('?', 1)[0])
  reply
    .code(404)
    .send({ error: { code: 'unknown-route', message: `there is no route ${method} ${path}` } })
}
