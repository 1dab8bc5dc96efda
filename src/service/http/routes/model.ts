// The models: what serves, learning on demand, and the way back.

import { Type } from 'typebox'

import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { modelVersion, trainOutcome } from '../schemas/model.ts'
import { closed, list, name, wholeNumber } from '../schemas/words.ts'

const ofGroup = { group: Type.Optional(name) }
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
      body: closed(ofGroup, 'TrainRequest'),
      response: { 200: closed({ outcomes: list(trainOutcome) }, 'TrainOutcomes'), ...failures },
    },
    handler: async ({ body: { group } }) => ({ outcomes: [...(await model.train(group))] }),
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
