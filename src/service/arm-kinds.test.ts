import { describe, expect, it } from 'vitest'

import { createMemoryStore } from '../storage/index.ts'
import { closeServices, copyOfLog, startService } from '../../test/services.ts'

closeServices()

const settings = { dimension: 4 }
const arms = [
  { name: 'one', method: 'ren-g', settings },
  { name: 'two', method: 'gru4rec+greedy', settings },
]

describe('the arms of figures', () => {
  it.each(['own', 'shared'] as const)(
    'say what they are made of, with %s models',
    async (models) => {
      const { service } = await startService({ store: createMemoryStore(), arms, models })
      const kinds = [
        { policy: 'ren', method: 'ren-g' },
        { policy: 'greedy', method: 'gru4rec+greedy' },
      ]
      expect(service.metrics().arms).toMatchObject(kinds)
      expect(service.compareArms().arms).toMatchObject(kinds)
    },
  )

  it('say nothing of one that is in the log alone', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    await service.recommend({ user: 'ann', count: 1 })
    await expect.poll(() => service.position).toBe(2)
    const store = await copyOfLog(service.store)
    const { service: other } = await startService({ store, arms: [arms[1]!] })
    await expect
      .poll(() => other.metrics().arms)
      .toMatchObject([
        { name: 'two', policy: 'greedy', slates: 0 },
        { name: 'ren', policy: null, method: null, slates: 1 },
      ])
  })
})
