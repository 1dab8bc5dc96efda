// The simulated world that runs against the service, where whoever started the server runs one.

import { RenError } from '../../../core/errors.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { demonstration as answer, demonstrationState } from '../schemas/demonstration.ts'
import { failures } from '../schemas/failure.ts'

export function demonstrationRoutes(app: App, { demonstration }: Parts): void {
  const running = () => {
    if (demonstration) return demonstration
    throw new RenError('not-found', 'there is no demonstration: this server was started without')
  }

  app.route({
    ...at('demonstration'),
    schema: { response: { 200: answer, ...failures } },
    handler: async () => running().describe(),
  })

  app.route({
    ...at('setDemonstration'),
    schema: { body: demonstrationState, response: { 200: answer, ...failures } },
    handler: async ({ body: { state } }) => {
      const control = running()
      control.set(state)
      return control.describe()
    },
  })
}
