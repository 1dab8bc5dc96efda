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
    'Where the error is, such as `body.pin[0].slot`; absent if it has no place.',
    t.text,
  ),
  details: t.optional('Further facts about the error.', t.anyObject),
}

export const failure = t.named('Failure', {
  error: t.field('The error.', t.closed({ code, message, ...errorPlace })),
})

export const rejected = t.named('Rejected', {
  index: t.count('The index of the event in the request, from 0.'),
  code,
  message,
  path: t.optional(
    'Where the error is, such as `body.events[2].item`, or `item` in a call of `record`; absent if the event as a whole is invalid.',
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
