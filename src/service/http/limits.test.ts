import { expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'

closeServices()
closeServers()

it.each([
  ['', /^the body must be JSON, got nothing$/],
  ['{"user":"ann",', /^the body must be valid JSON$/],
  ['{"user":"ann","__proto__":{"a":1}}', /^the body must be valid JSON$/],
  ['{"user":"ann","constructor":{"prototype":{}}}', /^the body must be valid JSON$/],
])('a body of %j gets an error that says what is wrong', async (body, message) => {
  const { send } = await startServer()
  const headers = { 'content-type': 'application/json' }
  const { status, json } = await send('POST', '/v1/events', { body, headers })
  expect(status).toBe(400)
  expect(json).toEqual({
    error: { code: 'invalid-argument', message: expect.stringMatching(message), path: 'body' },
  })
})
