// The schemas of errors in responses.

import { Type } from 'typebox'

import { errorCodes, type ErrorCode } from '../../core/errors.ts'
import * as t from './words.ts'

/** The place and details of an error, so that no client needs to parse the message. */
export const errorPlace = {
  path: Type.Optional(
    Type.String({ description: 'a place in the request such as settings.seeds' }),
  ),
  details: Type.Optional(t.anyObject),
}

export const failure = t.named('Failure', {
  error: t.closed({
    code: t.oneOf(...(Object.keys(errorCodes) as ErrorCode[])),
    message: Type.String(),
    ...errorPlace,
  }),
})

export const rejected = t.named('Rejected', {
  /** The index of the event in the request, from 0. */
  index: t.wholeNumber(0),
  code: Type.String({ description: 'an error code' }),
  message: Type.String(),
  /** Where the event is malformed, such as `event.user`; absent if a well-formed event was refused. */
  path: errorPlace.path,
})

/** The response if all events of a batch were rejected. */
export const failureOfAll = t.named('FailureOfAll', {
  ...failure.properties,
  rejected: Type.Optional(t.list(rejected)),
})

/** The error responses of every route. */
export const failures = { '4xx': failure, '5xx': failure } as const
