// A demo, where one runs.

import { Type } from 'typebox'

import type { Demo } from '../../demo.ts'
import { answers, closed, finite, list, oneOf, wholeNumber } from './words.ts'

export const demo = answers<Demo>()(
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
          'DemoArm',
        ),
      ),
    },
    'Demo',
  ),
)

export const demoState = closed({ state: oneOf('running', 'paused') }, 'DemoState')
