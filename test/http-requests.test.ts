// A thousand generated requests; test/long sends ten times as many.

import { expect, it } from 'vitest'
import { sendFarOut, sendGenerated } from './generated-requests.ts'
import { closeServers } from './servers.ts'
import { closeServices } from './services.ts'

closeServices()
closeServers()

it('responds to every request as documented', async () => {
  const outcomes = await sendGenerated(1, 1000)
  // Checks that the generator produces both valid and invalid requests.
  expect(outcomes['right 2xx']).toBeGreaterThan(150)
  expect(outcomes['nearly right 4xx']).toBeGreaterThan(100)
  expect(outcomes['meant to harm 4xx']).toBeGreaterThan(100)
})

it('refuses numbers that have no finite scores or would take too long', async () => {
  const statuses = await sendFarOut()
  expect(statuses.size).toBeGreaterThan(150)
  expect(new Set(statuses.values())).toContain(200)
  expect([...statuses].filter(([, status]) => status !== 200 && status !== 400)).toEqual([])
})
