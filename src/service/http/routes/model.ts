// The models: served versions, training on request, and rollback.

import { Type } from 'typebox'

import { modelVersion, trainingStatus, trainOutcome } from '../../schemas/model.ts'
import type { ModelApi } from '../../service.ts'
import { addRead, at } from '../operations.ts'
import type { App } from '../guard.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/words.ts'

const ofGroup = { group: Type.Optional(t.name) }
const trainingRuns = t.named('TrainingRuns', { training: t.list(trainingStatus) })
const versions = t.named('ModelVersions', { versions: t.list(modelVersion) })

export function modelRoutes(app: App, model: ModelApi): void {
  trainingRoutes(app, model)

  addRead(app, 'model', versions, () => ({ versions: model.current() }))

  app.route({
    ...at('modelVersions'),
    schema: { querystring: t.closed(ofGroup), response: { 200: versions, ...failures } },
    handler: async ({ query: { group } }) => ({ versions: await model.versions(group) }),
  })

  app.route({
    ...at('rollBack'),
    schema: {
      body: t.named('RollBackRequest', { version: t.wholeNumber(0), ...ofGroup }),
      response: { 200: modelVersion, ...failures },
    },
    handler: ({ body: { version, group } }) => model.rollBack(version, group),
  })
}

function trainingRoutes(app: App, model: ModelApi): void {
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

  app.route({
    ...at('cancelTraining'),
    schema: { querystring: t.closed(ofGroup), response: { 200: trainingRuns, ...failures } },
    handler: async ({ query: { group } }) => ({
      training: await model.cancelTraining(group),
    }),
  })
}
