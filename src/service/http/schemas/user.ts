// Users.

import { Type } from 'typebox'

import type { LogEvent } from '../../../storage/index.ts'
import type { UserEventPage, UserInfo } from '../../service.ts'
import {
  answers,
  anyObject,
  closed,
  finite,
  list,
  name,
  orNull,
  position,
  time,
  wholeNumber,
} from './words.ts'

export const userInfo = answers<UserInfo>()(
  closed(
    {
      user: Type.String(),
      arm: Type.String(),
      history: list(closed({ item: Type.String(), reward: finite, time })),
      slates: wholeNumber(0),
    },
    'User',
  ),
)

export const userEventPage = answers<UserEventPage>()(
  closed(
    {
      entries: list(
        closed(
          { position, id: Type.Optional(Type.String()), event: Type.Unsafe<LogEvent>(anyObject) },
          'StoredEvent',
        ),
      ),
      next: orNull(position),
    },
    'UserEventPage',
  ),
)

export const userEntry = closed(
  {
    user: Type.String(),
    arm: Type.String(),
    interactions: wholeNumber(0),
    slates: wholeNumber(0),
  },
  'UserEntry',
)

export const merge = closed({ from: name, into: name }, 'Merge')
