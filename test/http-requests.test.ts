// A thousand requests that nobody wrote by hand; test/long has ten times as many.

import { expect, it } from 'vitest'
import { askFarOut, askGenerated } from './generated-requests.ts'
import { closeServers } from './servers.ts'
import { closeServices } from './services.ts'

closeServices()
closeServers()

it('answers whatever is sent, and as it says it does', async () => {
  const outcomes = await askGenerated(1, 1000)
  // The requests are what they are meant to be.
  expect(outcomes['right 2xx']).toBeGreaterThan(150)
  expect(outcomes['nearly right 4xx']).toBeGreaterThan(100)
  expect(outcomes['meant to harm 4xx']).toBeGreaterThan(100)
})

it('refuses numbers that no scores can be made of, and those that would take for ever', async () => {
  const statuses = await askFarOut()
  expect(statuses.size).toBeGreaterThan(150)
  expect(new Set(statuses.values())).toContain(200)
  expect([...statuses].filter(([, status]) => status !== 200 && status !== 400)).toEqual([])
})
