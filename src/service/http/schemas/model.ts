// Versions of the models, and what came of learning.

import { Type } from 'typebox'

import type { ModelVersion, TrainOutcome } from '../../service.ts'
import type { TrainingStatus } from '../../training/training-status.ts'
import { judged } from './quality.ts'
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

const heldOut = orNull(
  closed({ measure: Type.Optional(oneOf('loss', 'ndcg')), before: finite, after: finite }),
)

export const modelVersion = answers<ModelVersion>()(
  closed(
    {
      group: Type.String(),
      version: wholeNumber(0),
      time,
      position,
      loss: numberOrNull,
      heldOut,
      origin: oneOf('start', 'learnt', 'trained', 'imported', 'rolled-back'),
      quality: orNull(closed(judged)),
      live: orNull(closed(judged)),
      trainedOn: orNull(wholeNumber(0)),
      reward: numberOrNull,
      slates: wholeNumber(0),
      available: flag,
    },
    'ModelVersion',
  ),
)

export const trainingStatus = answers<TrainingStatus>()(
  closed(
    {
      group: Type.String(),
      state: oneOf('waiting', 'running', 'finished', 'cancelled', 'failed'),
      startedAt: time,
      epoch: wholeNumber(0),
      epochs: wholeNumber(0),
      share: finite,
      secondsLeft: numberOrNull,
      loss: numberOrNull,
      validation: orNull(closed({ hr10: finite, ndcg10: finite })),
      message: Type.Optional(Type.String()),
    },
    'TrainingStatus',
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
