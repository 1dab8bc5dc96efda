// Versions of the models, and what came of learning.

import { Type } from 'typebox'

import type { ModelVersion, TrainOutcome } from '../../service.ts'
import {
  answers,
  closed,
  finite,
  flag,
  numberOrNull,
  oneOf,
  orNull,
  position,
  time,
  wholeNumber,
} from './words.ts'

const heldOut = orNull(closed({ before: finite, after: finite }))

export const modelVersion = answers<ModelVersion>()(
  closed(
    {
      group: Type.String(),
      version: wholeNumber(0),
      time,
      position,
      loss: numberOrNull,
      heldOut,
      origin: oneOf('start', 'learnt', 'rolled-back'),
      reward: numberOrNull,
      slates: wholeNumber(0),
      available: flag,
    },
    'ModelVersion',
  ),
)

export const trainOutcome = answers<TrainOutcome>()(
  closed(
    {
      group: Type.String(),
      outcome: oneOf('learnt', 'refused', 'nothing-new'),
      reason: Type.Optional(Type.String()),
      version: wholeNumber(0),
      loss: numberOrNull,
      heldOut,
      swapMs: numberOrNull,
    },
    'TrainOutcome',
  ),
)
