// A demonstration, where one runs.

import { Type } from 'typebox'

import type { Demonstration } from '../../demonstration.ts'
import { answers, closed, finite, list, oneOf, wholeNumber } from './words.ts'

export const demonstration = answers<Demonstration>()(
  closed(
    {
      state: oneOf('running', 'paused', 'over'),
      world: Type.String(),
      rounds: wholeNumber(0),
      arms: list(
        closed(
          {
            arm: Type.String(),
            policy: Type.String(),
            seed: finite,
            at: list(wholeNumber(0)),
            reward: list(finite),
            regret: list(finite),
          },
          'DemonstrationArm',
        ),
      ),
    },
    'Demonstration',
  ),
)

export const demonstrationState = closed(
  { state: oneOf('running', 'paused') },
  'DemonstrationState',
)
