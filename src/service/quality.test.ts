import { describe, expect, it } from 'vitest'

import { closeServices, startService } from '../../test/services.ts'
import { createMemoryStore } from '../storage/index.ts'
import type { Service } from './service.ts'

closeServices()

const items = Array.from({ length: 40 }, (_, i) => `i${i}`)
const after = (item: string): string => items[(items.indexOf(item) + 1) % items.length]!

/** Users go through the items in a circle, so that what comes next is known. */
async function walk(service: Service, users: number, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const events = Array.from({ length: users }, (_, user) => {
      return { user: `u${user}`, item: items[(7 * user + step) % items.length]! }
    })
    await service.record(events)
  }
}

const start = async () => {
  const { service } = await startService({ store: createMemoryStore(), relevance: 'blend' }, items)
  await walk(service, 20, 12)
  return service
}

describe('relevance as a blend', () => {
  it('recommends what followed in other histories, without any training, and says why', async () => {
    const service = await start()
    const { items: slate } = await service.recommend({
      user: 'u3',
      count: 3,
      exploration: { weight: 0 },
      explain: true,
      record: false,
    })
    const last = items[(7 * 3 + 11) % items.length]!
    expect(slate[0]!.item).toBe(after(last))
    const { parts, because, relevance } = slate[0]!
    const sum = Object.values(parts!).reduce((total, part) => total + part, 0)
    expect(sum).toBeCloseTo(relevance, 4)
    expect(because![0]!.item).toBe(last)
    expect(parts!.memory).toBeGreaterThan(parts!.popularity)
  })

  it('recommends what is popular to a user without a history', async () => {
    const { service } = await startService(
      { store: createMemoryStore(), relevance: 'blend' },
      items,
    )
    const choices = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 'i5' : items[i % 40]!))
    await service.record(choices.map((item, i) => ({ user: `other${i}`, item })))
    const request = { user: 'new', count: 1, exploration: { weight: 0 }, record: false } as const
    expect((await service.recommend(request)).items[0]!.item).toBe('i5')
  })

  it('is judged before it learns: memory is far above popularity where order matters', async () => {
    const [quality] = (await start()).quality()
    expect(quality).toMatchObject({ group: 'ren', serves: 'blend' })
    const { served, memory, popularity } = quality!.live!
    expect(served.examples).toBeGreaterThan(20)
    expect(memory.mrr).toBeGreaterThan(2 * popularity.mrr)
    expect(served.mrr).toBeGreaterThan(2 * popularity.mrr)
    expect(quality!.blend!.weights.memory).toBeGreaterThan(0)
  })

  it('counts the same again after a restart', async () => {
    const store = createMemoryStore()
    const settings = { store, relevance: 'blend' } as const
    const { service: first } = await startService(settings, items)
    await walk(first, 5, 8)
    await first.users.merge('u1', 'u2')
    await first.users.forget('u3')
    const request = { count: 5, exploration: { weight: 0 }, record: false, explain: true } as const
    const slates = async (service: Service) =>
      Promise.all(
        ['u0', 'u2', 'u4', 'new'].map(async (user) => {
          const { items: slate } = await service.recommend({ user, ...request })
          return slate.map(({ item, because }) => ({ item, because }))
        }),
      )
    const before = await slates(first)
    await first.close()
    const { service: second } = await startService(settings, items)
    expect(await slates(second)).toEqual(before)
  })
})
