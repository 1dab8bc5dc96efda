// The models: served versions, training on request, and rollback.

import { Type } from 'typebox'

import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { modelVersion, trainingStatus, trainOutcome } from '../schemas/model.ts'
import { closed, flag, list, name, wholeNumber } from '../schemas/words.ts'

const ofGroup = { group: Type.Optional(name) }
const trainingRuns = closed({ training: list(trainingStatus) }, 'TrainingRuns')
const versions = closed({ versions: list(modelVersion) }, 'ModelVersions')

export function modelRoutes(app: App, { service: { model } }: Parts): void {
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

  app.route({
    ...at('rollBack'),
    schema: {
      body: closed({ version: wholeNumber(0), ...ofGroup }, 'RollBackRequest'),
      response: { 200: modelVersion, ...failures },
    },
    handler: ({ body: { version, group } }) => model.rollBack(version, group),
  })
}
