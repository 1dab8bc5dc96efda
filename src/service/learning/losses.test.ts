import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { closeServices, startService } from '../../../test/services.ts'
import { createMemoryStore } from '../../storage/index.ts'

closeServices()

const guide = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
const named = [...new Set(guide.matchAll(/loss=([a-z-]+)/g).map(([, loss]) => loss!))]

describe('the losses of a service', () => {
  it('are documented', () => {
    expect(named.toSorted()).toEqual(['binary-cross-entropy', 'ranking', 'softmax'])
  })

  it.each(['squared-error', ...named])('learn, such as %s', async (loss) => {
    const { service, logMessages } = await startService({
      store: createMemoryStore(),
      variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 4, rate: 0.05, loss } }],
      attributionWindow: 0,
      learning: { everyEvents: 1e9, everySeconds: 1e6, tolerance: 100 },
    })
    for (let i = 0; i < 24; i++) {
      const user = `user ${i % 8}`
      const { recommendationId } = await service.recommend({ user, count: 3, pin: pinned })
      await service.record([{ user, item: 'a', recommendationId: recommendationId! }])
    }
    const relevance = async () => {
      const requested = await service.recommend({ user: 'user 1', count: 6, record: false })
      const [a, f] = ['a', 'f'].map((name) => requested.items.find(({ item }) => item === name)!)
      return a!.relevance - f!.relevance
    }
    const before = await relevance()
    for (let version = 1; version <= 5; version++) {
      await service.record([{ user: 'user 1', item: 'a' }])
      const outcomes = await service.model.train()
      expect(outcomes).toMatchObject([{ outcome: 'trained', version }])
    }
    expect(await relevance()).toBeGreaterThan(before)
    expect(logMessages.map(({ message }) => message)).toEqual(
      loss === 'squared-error'
        ? []
        : [expect.stringMatching(`^variant ren learns with the loss ${loss}`)],
    )
  })
})

const pinned = [
  { item: 'a', slot: 1 },
  { item: 'f', slot: 2 },
]
