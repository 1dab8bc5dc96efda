// What users did, and what became of telling.

import { Type } from 'typebox'

import type { RecordReport } from '../../service.ts'
import { limits } from '../limits.ts'
import { rejected } from './failure.ts'
import {
  answers,
  closed,
  finite,
  list,
  name,
  names,
  position,
  shownAs,
  time,
  wholeNumber,
} from './words.ts'

export const userEvent = closed(
  {
    id: Type.Optional(name),
    user: name,
    item: Type.Optional(name),
    reward: Type.Optional(finite),
    recommendationId: Type.Optional(name),
    impressions: Type.Optional(names(limits.count)),
    time: Type.Optional(time),
  },
  'UserEvent',
)

export const userEvents = closed(
  {
    events: shownAs(
      Type.Array(Type.Unknown(), {
        minItems: 1,
        maxItems: limits.events,
        description: `a list of 1 to ${limits.events} events`,
      }),
      Type.Array(userEvent, { minItems: 1, maxItems: limits.events }),
    ),
  },
  'UserEvents',
)

export const recordReport = answers<RecordReport>()(
  closed(
    {
      position,
      accepted: wholeNumber(0),
      repeated: wholeNumber(0),
      rejected: list(rejected),
    },
    'RecordReport',
  ),
)
