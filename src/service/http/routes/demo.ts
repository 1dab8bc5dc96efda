// The simulated world that runs against the service, where whoever started the server runs one.

import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import type { Demo } from '../../runs.ts'
import { at } from '../operations.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { answers, closed, finite, list, oneOf, wholeNumber } from '../schemas/words.ts'

const demoSchema = answers<Demo>()(
  closed(
    {
      state: oneOf('running', 'paused', 'over'),
      world: Type.String(),
      rounds: wholeNumber(0),
      variants: list(
        closed(
          {
            variant: Type.String(),
            policy: Type.String(),
            seed: finite,
            at: list(wholeNumber(0)),
            reward: list(finite),
            regret: list(finite),
          },
          'DemoVariant',
        ),
      ),
    },
    'Demo',
  ),
)

const demoState = closed({ state: oneOf('running', 'paused') }, 'DemoState')

export function demoRoutes(app: App, { demo }: Parts): void {
  const running = () => {
    if (demo) return demo
    throw new RenError('not-found', 'there is no demo: this server was started without')
  }

  app.route({
    ...at('demo'),
    schema: { response: { 200: demoSchema, ...failures } },
    handler: async () => running().describe(),
  })

  app.route({
    ...at('setDemo'),
    schema: { body: demoState, response: { 200: demoSchema, ...failures } },
    handler: async ({ body: { state } }) => {
      const control = running()
      control.set(state)
      return control.describe()
    },
  })
}
