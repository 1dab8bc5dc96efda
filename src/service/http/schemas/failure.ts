// What every error looks like from outside.

import { Type } from 'typebox'

import { errorCodes } from '../../../core/errors.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import { anyObject, closed, list, oneOf, wholeNumber } from './words.ts'

/** Where a request is wrong, and facts about it, so that no client needs to parse the message. */
export const errorPlace = {
  path: Type.Optional(Type.String({ description: 'the place in the request: settings.seeds' })),
  details: Type.Optional(anyObject),
}

export const failure = closed(
  {
    error: closed({
      code: oneOf(...(Object.keys(errorCodes) as ErrorCode[])),
      message: Type.String(),
      ...errorPlace,
    }),
  },
  'Failure',
)

export const rejected = closed(
  {
    index: wholeNumber(0),
    code: Type.String({ description: 'a code of the catalog of errors' }),
    message: Type.String(),
  },
  'Rejected',
)

/** Nothing of a batch was kept. */
export const failureOfAll = closed(
  { ...failure.properties, rejected: Type.Optional(list(rejected)) },
  'FailureOfAll',
)

/** What any route may answer besides what it is for. */
export const failures = { '4xx': failure, '5xx': failure } as const
