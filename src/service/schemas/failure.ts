// The schemas of errors in responses.

import { errorCodes, type ErrorCode } from '../../core/errors.ts'
import * as t from './builders.ts'

const code = t.field(
  'What went wrong. Test the code, since messages may change.',
  t.oneOf(...(Object.keys(errorCodes) as ErrorCode[])),
)
const message = t.string('The error for people: what was expected, and what was received.')

/** The place and details of an error, so that no client needs to parse the message. */
export const errorPlace = {
  path: t.optional(
    'The invalid field, such as `settings.seeds`; absent if the error has no field.',
    t.text,
  ),
  details: t.optional('Further facts about the error.', t.anyObject),
}

export const failure = t.named('Failure', {
  error: t.field('The error.', t.closed({ code, message, ...errorPlace })),
})

export const rejected = t.named('Rejected', {
  index: t.count('The index of the event in the request, from 0.'),
  code: t.string('The code of the error.'),
  message,
  path: t.optional(
    'The malformed field, such as `event.user`; absent if a well-formed event was refused.',
    t.text,
  ),
})

/** The response if all events of a batch were rejected. */
export const failureOfAll = t.named('FailureOfAll', {
  error: t.field('The error of the first event.', failure.properties.error),
  rejected: t.optional('Every event, and why it was rejected.', t.list(rejected)),
})

/** The error responses of every route. */
export const failures = {
  '4xx': t.field('The request is invalid, or is not allowed now.', failure),
  '5xx': t.field('The service could not process the request.', failure),
} as const
