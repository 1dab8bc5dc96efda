// The routes of model versions, training and rollback.

import { Type } from 'typebox'

import { modelVersion, trainingStatus, trainOutcome } from '../../schemas/model.ts'
import type { ModelApi } from '../../service.ts'
import { addRoute, at } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/words.ts'

const ofGroup = { group: Type.Optional(t.name) }
const querystring = t.closed(ofGroup)
const trainingRuns = t.named('TrainingRuns', { training: t.list(trainingStatus) })
const versions = t.named('ModelVersions', { versions: t.list(modelVersion) })

export function modelRoutes(app: App, model: ModelApi): void {
  addRoute(app, 'model', { answer: versions }, () => ({ versions: model.current() }))
  addRoute(app, 'modelVersions', { querystring, answer: versions }, async ({ query }) => ({
    versions: await model.versions(query.group),
  }))
  addRoute(app, 'cancelTraining', { querystring, answer: trainingRuns }, async ({ query }) => ({
    training: await model.cancelTraining(query.group),
  }))
  const body = t.named('RollBackRequest', { version: t.wholeNumber(0), ...ofGroup })
  addRoute(app, 'rollBack', { body, answer: modelVersion }, ({ body: { version, group } }) =>
    model.rollBack(version, group),
  )

  app.route({
    ...at('train'),
    schema: {
      body: t.named('TrainRequest', { ...ofGroup, full: Type.Optional(t.flag) }),
      response: {
        200: t.named('TrainOutcomes', { outcomes: t.list(trainOutcome) }),
        202: trainingRuns,
        ...failures,
      },
    },
    handler: async ({ body: { group, full = false } }, reply) => {
      if (!full) return { outcomes: await model.train(group) }
      reply.code(202)
      return { training: await model.trainFully(group) }
    },
  })
}
