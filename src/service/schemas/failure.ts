// What every error looks like from outside.

import { Type } from 'typebox'

import { errorCodes } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import * as t from './words.ts'

/** Where a request is wrong, and facts about it, so that no client needs to parse the message. */
export const errorPlace = {
  path: Type.Optional(Type.String({ description: 'the place in the request: settings.seeds' })),
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
  /** Which of the events, counting from 0. */
  index: t.wholeNumber(0),
  code: Type.String({ description: 'a code of the catalog of errors' }),
  message: Type.String(),
  /** Where the event is malformed, such as `event.user`; absent where the service refused a well-formed event. */
  path: errorPlace.path,
})

/** Nothing of a batch was kept. */
export const failureOfAll = t.named('FailureOfAll', {
  ...failure.properties,
  rejected: Type.Optional(t.list(rejected)),
})

/** What any route may answer besides what it is for. */
export const failures = { '4xx': failure, '5xx': failure } as const
