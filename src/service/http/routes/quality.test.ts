import { expect, it } from 'vitest'

import { closeServers, startServer } from '../../../../test/servers.ts'
import { closeServices } from '../../../../test/services.ts'
import type { GroupQuality, QualitySummary } from '../../schemas/quality.ts'

closeServices()
closeServers()

it('shows a summary of the quality of each group in the status', async () => {
  const { send, service } = await startServer({}, [], { relevance: 'blend' })
  const summary = async () => {
    const { json } = await send('GET', '/v1/status')
    return (json as { readonly quality: readonly QualitySummary[] }).quality
  }
  expect(await summary()).toEqual([
    {
      group: 'ren',
      serves: 'blend',
      judgedOn: 'live',
      examples: 0,
      hr10: null,
      belowPopularity: null,
    },
  ])
  for (const item of ['a', 'b', 'c', 'd', 'e']) {
    await service.record(['ann', 'ben', 'cyd'].map((user) => ({ user, item })))
  }
  const { json } = await send('GET', '/v1/quality')
  const [group] = (json as { readonly groups: readonly GroupQuality[] }).groups
  const { served, model, memory, popularity } = group!.live!
  expect(served.examples).toBeGreaterThan(5)
  expect(await summary()).toEqual([
    {
      group: 'ren',
      judgedOn: 'live',
      serves: 'blend',
      examples: served.examples,
      hr10: {
        served: served.hr10,
        model: model.hr10,
        memory: memory.hr10,
        popularity: popularity.hr10,
      },
      belowPopularity: null,
    },
  ])
})
