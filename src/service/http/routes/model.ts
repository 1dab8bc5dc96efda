// The routes of model versions, training and rollback.

import { modelVersion, trainingStatus, trainOutcome } from '../../schemas/model.ts'
import type { ModelApi } from '../../service.ts'
import { addRoute, at } from '../operations.ts'
import type { App } from '../server.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/builders.ts'

const ofGroup = { group: t.optional('The model group. Defaults to all.', t.name) }
const querystring = t.closed(ofGroup)
const trainingRuns = t.named('TrainingRuns', {
  training: t.field('The full training run of each model group.', t.list(trainingStatus)),
})
const versions = t.named('ModelVersions', {
  versions: t.field('The versions, newest first.', t.list(modelVersion)),
})

const rollback = t.named('RollBackRequest', {
  version: t.count('The version to serve again, whose weights are still available.'),
  group: t.optional('The model group. Required if there are several.', t.name),
})
const trainRequest = t.named('TrainRequest', {
  ...ofGroup,
  full: t.optional(
    'If true, starts a full training run over the whole log. Defaults to false.',
    t.flag,
  ),
})

export function modelRoutes(app: App, model: ModelApi): void {
  addRoute(app, 'model', { answer: versions }, () => ({ versions: model.current() }))
  addRoute(app, 'modelVersions', { querystring, answer: versions }, async ({ query }) => ({
    versions: await model.versions(query.group),
  }))
  addRoute(app, 'cancelTraining', { querystring, answer: trainingRuns }, async ({ query }) => ({
    training: await model.cancelTraining(query.group),
  }))
  addRoute(
    app,
    'rollBack',
    { body: rollback, answer: modelVersion },
    ({ body: { version, group } }) => model.rollBack(version, group),
  )

  app.route({
    ...at('train'),
    schema: {
      body: trainRequest,
      response: {
        200: t.named('TrainOutcomes', {
          outcomes: t.field('The outcome for each model group.', t.list(trainOutcome)),
        }),
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
