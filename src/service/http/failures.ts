// Turns errors into responses: an error code, a status, and no internal details.

import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'

import { describeValue } from '../../core/describe-value.ts'
import { errorAt, errorCodes, RenError, type ErrorBody, type ErrorCode } from '../../core/errors.ts'
import type { LogHandler } from '../settings.ts'

/** The codes that clients can act on, by status. All others are internal errors. */
const codesByStatus: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: [
    'invalid-argument',
    'shape-mismatch',
    'non-finite-input',
    'index-out-of-range',
    'dataset-malformed',
    'plan-invalid',
  ],
  401: ['key-required', 'key-refused'],
  403: ['scope-missing', 'origin-refused'],
  404: ['unknown-route', 'unknown-item', 'not-found'],
  405: ['method-refused'],
  409: ['learning-off', 'mark-moved', 'not-learner', 'lease-lost'],
  413: ['too-large'],
  415: ['content-type-refused'],
  421: ['host-refused'],
  429: ['rate-limited'],
  501: ['not-available'],
  503: ['store-failed', 'outcome-unknown', 'store-closed', 'service-closed', 'not-caught-up'],
}

export const statuses = Object.fromEntries(
  Object.entries(codesByStatus).flatMap(([status, codes]) =>
    codes.map((code) => [code, Number(status)]),
  ),
) as Readonly<Partial<Record<ErrorCode, number>>>

/**
 * The error of a call that received a part of the request, such as `body.requests[2]`. Its path then
 * starts there. An invalid request always has a path; other errors may have none.
 */
export function errorIn(part: string, error: unknown): unknown {
  if (!(error instanceof RenError)) return error
  return error.path === undefined && statuses[error.code] !== 400 ? error : errorAt(part, error)
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
  const [code = 'invalid-argument'] = codesByStatus[statusCode] ?? []
  const reason = 'code' in error ? String(error.code) : ''
  const path = reason.includes('_BODY') ? 'body' : undefined
  return new RenError(code, clearer[reason] ?? message, { path })
}

/** Messages in place of those of fastify, by its code. */
const clearer: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the Content-Type of the body must be application/json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body must be JSON, got nothing',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body must be valid JSON',
}

export function answerFailure(error: unknown, reply: FastifyReply, onLogMessage: LogHandler): void {
  const { status, body } = failureOf(error, onLogMessage)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (status === 429) reply.header('retry-after', 1)
  reply.code(status).send(body)
}
