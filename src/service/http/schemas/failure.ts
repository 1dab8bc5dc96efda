// What every error looks like from outside.

import { Type } from 'typebox'

import { errorCodes } from '../../../core/errors.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import { closed, list, oneOf, wholeNumber } from './words.ts'

export const failure = closed(
  {
    error: closed({
      code: oneOf(...(Object.keys(errorCodes) as ErrorCode[])),
      message: Type.String(),
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
