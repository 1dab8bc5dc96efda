import { describe, expect, it } from 'vitest'
import { closeServices, startService } from '../../../test/services.ts'
import { createMemoryStore } from '../../storage/index.ts'

closeServices()

describe('subscribers', () => {
  it('receive slates and feedback once they are durable, until they unsubscribe', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const received: unknown[] = []
    const stop = service.subscribe((event) => received.push(event))
    service.subscribe(() => {
      throw new Error('a listener that fails')
    })
    const { recommendationId, items } = await service.recommend({ user: 'ann', count: 1 })
    await service.record([{ user: 'ann', item: 'a' }])
    const about = { variant: 'ren', user: 'ann', time: 1_000_000 }
    expect(received).toEqual([
      {
        kind: 'recommendation',
        ...about,
        policy: 'ren',
        recommendationId,
        items: [items[0]!.item],
      },
      { kind: 'interaction', ...about, item: 'a', reward: 1, position: 3 },
    ])
    stop()
    await service.record([{ user: 'ann', item: 'b' }])
    expect(received).toHaveLength(2)
  })
})
