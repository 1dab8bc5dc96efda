// The models: served versions, training on request, and rollback.

import { Type } from 'typebox'

import type { ModelApi, ModelVersion, TrainOutcome } from '../../service.ts'
import type { TrainingStatus } from '../../training/training-status.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { judged } from '../schemas/quality.ts'
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
  list,
  name,
} from '../schemas/words.ts'

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

const trainOutcome = answers<TrainOutcome>()(
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

const ofGroup = { group: Type.Optional(name) }
const trainingRuns = closed({ training: list(trainingStatus) }, 'TrainingRuns')
const versions = closed({ versions: list(modelVersion) }, 'ModelVersions')

export function modelRoutes(app: App, { service: { model } }: Parts): void {
  trainingRoutes(app, model)

  app.route({
    ...at('model'),
    schema: { response: { 200: versions, ...failures } },
    handler: async () => ({ versions: [...model.current()] }),
  })

  app.route({
    ...at('modelVersions'),
    schema: { querystring: closed(ofGroup), response: { 200: versions, ...failures } },
    handler: async ({ query: { group } }) => ({ versions: [...(await model.versions(group))] }),
  })

  app.route({
    ...at('rollBack'),
    schema: {
      body: closed({ version: wholeNumber(0), ...ofGroup }, 'RollBackRequest'),
      response: { 200: modelVersion, ...failures },
    },
    handler: ({ body: { version, group } }) => model.rollBack(version, group),
  })
}

function trainingRoutes(app: App, model: ModelApi): void {
  app.route({
    ...at('train'),
    schema: {
      body: closed({ ...ofGroup, full: Type.Optional(flag) }, 'TrainRequest'),
      response: {
        200: closed({ outcomes: list(trainOutcome) }, 'TrainOutcomes'),
        202: trainingRuns,
        ...failures,
      },
    },
    handler: async ({ body: { group, full = false } }, reply) => {
      if (!full) return { outcomes: [...(await model.train(group))] }
      reply.code(202)
      return { training: [...(await model.trainFully(group))] }
    },
  })

  app.route({
    ...at('cancelTraining'),
    schema: { querystring: closed(ofGroup), response: { 200: trainingRuns, ...failures } },
    handler: async ({ query: { group } }) => ({
      training: [...(await model.cancelTraining(group))],
    }),
  })
}
