// The simulated world that runs against the service, where whoever started the server runs one.

import { RenError } from '../../../core/errors.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { demo as answer, demoState } from '../schemas/demo.ts'
import { failures } from '../schemas/failure.ts'

export function demoRoutes(app: App, { demo }: Parts): void {
  const running = () => {
    if (demo) return demo
    throw new RenError('not-found', 'there is no demo: this server was started without')
  }

  app.route({
    ...at('demo'),
    schema: { response: { 200: answer, ...failures } },
    handler: async () => running().describe(),
  })

  app.route({
    ...at('setDemo'),
    schema: { body: demoState, response: { 200: answer, ...failures } },
    handler: async ({ body: { state } }) => {
      const control = running()
      control.set(state)
      return control.describe()
    },
  })
}
