// Events of users, and the report on recording them.

import { Type } from 'typebox'

import type { RecordReport } from '../../service.ts'
import { limits } from '../limits.ts'
import { rejected } from './failure.ts'
import {
  answers,
  batchOf,
  closed,
  finite,
  list,
  name,
  names,
  position,
  timeToTell,
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
    time: Type.Optional(timeToTell),
  },
  'UserEvent',
)

export const userEvents = batchOf('events', userEvent, limits.events, 'UserEvents')

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
