import { describe, expect, it } from 'vitest'

import { createMemoryStore } from '../../storage/index.ts'
import { closeServices, copyOfLog, startService } from '../../../test/services.ts'

closeServices()

const settings = { dimension: 4 }
const variants = [
  { name: 'one', method: 'ren-g', settings },
  { name: 'two', method: 'gru4rec+greedy', settings },
]

describe('the variants of metrics', () => {
  it.each(['own', 'shared'] as const)(
    'say what they are made of, with %s models',
    async (models) => {
      const { service } = await startService({ store: createMemoryStore(), variants, models })
      const kinds = [
        { policy: 'ren', method: 'ren-g' },
        { policy: 'greedy', method: 'gru4rec+greedy' },
      ]
      expect(service.metrics().variants).toMatchObject(kinds)
      expect(service.compareVariants().variants).toMatchObject(kinds)
    },
  )

  it('have no policy and method if they are only in the log', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    await service.recommend({ user: 'ann', count: 1 })
    await expect.poll(() => service.position).toBe(2)
    const store = await copyOfLog(service.store)
    const { service: other } = await startService({ store, variants: [variants[1]!] })
    await expect
      .poll(() => other.metrics().variants)
      .toMatchObject([
        { name: 'two', policy: 'greedy', slates: 0 },
        { name: 'ren', policy: null, method: null, slates: 1 },
      ])
  })
})
