// Users.

import { Type } from 'typebox'

import type { UserInfo } from '../../service.ts'
import { answers, closed, finite, list, name, time, wholeNumber } from './words.ts'

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
