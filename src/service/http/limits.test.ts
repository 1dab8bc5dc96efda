import { expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'

closeServices()
closeServers()

it.each([
  ['', /^Body cannot be empty/],
  ['{"user":"ann",', /^Body is not valid JSON/],
  ['{"user":"ann","__proto__":{"a":1}}', /^Body is not valid JSON/],
  ['{"user":"ann","constructor":{"prototype":{}}}', /^Body is not valid JSON/],
])('a body of %j gets an error that says what is wrong', async (body, message) => {
  const { ask } = await startServer()
  const headers = { 'content-type': 'application/json' }
  const { status, json } = await ask('POST', '/v1/events', { body, headers })
  expect(status).toBe(400)
  expect(json).toEqual({
    error: { code: 'invalid-argument', message: expect.stringMatching(message), path: 'body' },
  })
})
