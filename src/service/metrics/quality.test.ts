import { describe, expect, it } from 'vitest'

import { closeServices, startService } from '../../../test/services.ts'
import { defaultBlend } from '../../relevance/index.ts'
import { createMemoryStore, type EventStore } from '../../storage/index.ts'
import { openWithGroups } from '../open-service.ts'
import { readWhole } from '../state/restore.ts'
import type { Service } from '../service.ts'

closeServices()

const items = Array.from({ length: 40 }, (_, i) => `i${i}`)
const after = (item: string): string => items[(items.indexOf(item) + 1) % items.length]!

/** Users go through the items in a circle, so that the next item is known. */
async function walk(service: Service, users: number, steps: number, from = 0): Promise<void> {
  for (let step = from; step < from + steps; step++) {
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
  it('recommends items that followed in other histories, without training, and explains them', async () => {
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

  it('recommends popular items to a user without a history', async () => {
    const { service } = await startService(
      { store: createMemoryStore(), relevance: 'blend' },
      items,
    )
    const choices = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 'i5' : items[i % 40]!))
    await service.record(choices.map((item, i) => ({ user: `other${i}`, item })))
    const request = { user: 'new', count: 1, exploration: { weight: 0 }, record: false } as const
    expect((await service.recommend(request)).items[0]!.item).toBe('i5')
  })

  it('is judged before it learns: memory is far above popularity if order matters', async () => {
    const [quality] = (await start()).quality()
    expect(quality).toMatchObject({ group: 'ren', serves: 'blend' })
    const { served, memory, popularity } = quality!.live!
    expect(served.examples).toBeGreaterThan(20)
    expect(memory.mrr).toBeGreaterThan(2 * popularity.mrr)
    expect(served.mrr).toBeGreaterThan(2 * popularity.mrr)
    expect(quality!.blend!.weights.memory).toBeGreaterThan(0)
  })

  it('has the same counts after a restart', async () => {
    const store = createMemoryStore()
    const settings = { store, relevance: 'blend' } as const
    const { service: first } = await startService(settings, items)
    await walk(first, 5, 8)
    await first.users.merge('u1', 'u2')
    await first.users.erase('u3')
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

/** Ranks the least popular item first. */
const upsideDown = {
  ...defaultBlend,
  weights: { model: 0, memory: 0, popularity: -2, clickRate: 0 },
}

/** Every interaction is judged, and the blend can be set. */
async function openBlend(store: EventStore) {
  const variants = [{ name: 'ren', method: 'ren-g', settings: { dimension: 4 } }]
  const learning = { enabled: false }
  const settings = { store, relevance: 'blend', learning, variants, clock: () => 1 } as const
  const { service, groups } = await openWithGroups(settings)
  await service.items.put(items.map((item) => ({ item })))
  return { service, blend: groups[0]!.recommender.blend! }
}

it('reports a quality below popularity after 100 interactions, also as a problem', async () => {
  const { service, blend } = await openBlend(createMemoryStore())
  const own = Array.from({ length: 600 }, (_, user) => ({ item: `own ${user}` }))
  await service.items.put(own)
  let users = 0
  /** Two interactions per user: with an item of their own, and with one that popularity predicts. */
  const follow = (count: number) =>
    service.record(
      Array.from({ length: count }, () => {
        const user = `u${users++}`
        return [
          { user, item: `own ${users - 1}` },
          { user, item: 'i7' },
        ]
      }).flat(),
    )
  await follow(5)
  blend.set(upsideDown)
  await follow(24)
  expect(service.quality()).toMatchObject([{ serves: 'blend', belowPopularity: null }])
  expect(service.health().problems).toEqual([])
  blend.set(upsideDown)
  await follow(24)
  expect(service.quality()).toMatchObject([
    { serves: 'blend', judgedOn: 'live', belowPopularity: true },
  ])
  const message = expect.stringMatching(/^ren: the served ranking is worse than popularity/)
  expect(service.health().problems).toEqual([message])
  blend.set(defaultBlend)
  await follow(500)
  expect(service.quality()).toMatchObject([{ serves: 'blend', belowPopularity: false }])
  expect(service.health().problems).toEqual([])
  await service.close()
})

describe('quality after a restart', () => {
  const open = (store: EventStore, learning: object = { enabled: false }) =>
    startService({ store, relevance: 'blend', learning }, items)

  it('is unchanged, also after a replay of the whole log or an erasure', async () => {
    const store = createMemoryStore()
    const { service: first } = await open(store)
    await walk(first, 20, 12)
    await first.users.erase('u3')
    const [before] = first.quality()
    await first.close()
    const { service: second } = await open(store)
    const [restored] = second.quality()
    const { live, independent, blend } = before!
    expect(restored).toMatchObject({ live, independent, blend, serves: 'blend' })
    expect(restored!.history).toMatchObject([{ version: 0, ...before!.live }])
    await second.close()
    await store.trimSnapshots('state', 'ren', 0)
    const { service: third } = await open(store)
    expect(third.quality()).toEqual([restored])
    await walk(third, 20, 1, 12)
    expect(third.quality()[0]!.live!.served.examples).toBeGreaterThan(
      restored!.live!.served.examples,
    )
  })

  it('judges no interaction of the replay, which the weights may have learned from', async () => {
    const store = createMemoryStore()
    const seldom = { everyEvents: Infinity, everySeconds: Infinity }
    const learning = { ...seldom, fullTraining: { enabled: false } }
    const { service: first } = await open(store, learning)
    await walk(first, 20, 4)
    expect(await first.model.train()).toMatchObject([{ outcome: 'trained' }])
    await first.close()
    for (const kind of ['state', 'quality'] as const) await store.trimSnapshots(kind, 'ren', 0)
    const { service: second } = await open(store, learning)
    expect(second.quality()[0]!.live).toBeNull()
    await walk(second, 20, 1, 4)
    expect(second.quality()[0]!.live!.served.examples).toBe(20)
  }, 30_000)

  it('has figures for every version that interactions were judged for', async () => {
    const store = createMemoryStore()
    const seldom = { everyEvents: Infinity, everySeconds: Infinity }
    const learning = { ...seldom, fullTraining: { enabled: false } }
    const { service: first } = await open(store, learning)
    await walk(first, 20, 8)
    expect(first.model.current()).toMatchObject([{ version: 0, live: first.quality()[0]!.live }])
    await first.model.train()
    expect(first.model.current()).toMatchObject([{ version: 1, quality: null, live: null }])
    await walk(first, 20, 2, 8)
    const before = await first.model.versions()
    const live = { served: { examples: 40 }, popularity: { examples: 40 } }
    expect(before).toMatchObject([
      { version: 1, live },
      { version: 0, live: { served: { examples: 160 } } },
    ])
    expect(before[0]!.live!.memory.hr10).toBeGreaterThan(before[1]!.live!.memory.hr10)
    expect(first.quality()[0]!.live!.served.examples).toBe(200)
    await first.close()
    const { service: second } = await open(store, learning)
    const figures = (versions: typeof before) => versions.map((one) => one.live)
    expect(figures(await second.model.versions())).toEqual(figures(before))
    await walk(second, 20, 1, 10)
    expect(second.model.current()).toMatchObject([{ live: { served: { examples: 60 } } }])
  }, 30_000)

  it('serves the same part as before if that was not the blend', async () => {
    const store = createMemoryStore()
    const { service: first, blend } = await openBlend(store)
    // The weights are fitted after every 50 choices: 30 more are judged before a fit repairs them.
    await walk(first, 20, 16)
    first.quality() // applies the last interactions
    blend.set(upsideDown)
    await walk(first, 20, 5, 16)
    expect(first.quality()[0]!.serves).toBe('memory')
    // Saved when it changes: a crash does not lose it.
    await expect.poll(() => store.snapshots('quality', 'ren')).toHaveLength(1)
    const { problems } = first.health()
    expect(problems).toMatchObject([
      expect.stringContaining('memory serves, since the blend ranks worse'),
    ])
    await first.close()
    const { service: second } = await open(store)
    expect(second.quality()[0]!.serves).toBe('memory')
    expect(second.health().problems).toEqual(problems)
  })

  it('reads figures of format 1, which does not say which interactions are independent', async () => {
    const store = createMemoryStore()
    const { service: first } = await open(store)
    await walk(first, 20, 20)
    const [before] = first.quality()
    expect(before).toMatchObject({ judgedOn: 'independent', belowPopularity: false })
    await first.close()
    const [saved] = await store.snapshots('quality', 'ren')
    const figures = JSON.parse(new TextDecoder().decode(await readWhole(store, saved!))) as {
      judging: { areIndependent?: unknown }
    }
    delete figures.judging.areIndependent
    const about = { ...saved!.about, format: 1 }
    const bytes = new TextEncoder().encode(JSON.stringify(figures))
    await store.writeSnapshot({ ...saved!, about }, [bytes])
    const { service: second, logMessages } = await open(store)
    expect(logMessages).toEqual([])
    const [quality] = second.quality()
    expect(quality).toMatchObject({ independent: null, judgedOn: 'live', belowPopularity: false })
    expect(quality!.live).toEqual(before!.live)
  })

  it.each([
    ['another format', { format: 0 }, '{}'],
    ['no JSON', { format: 1 }, 'quality'],
    ['other JSON', { format: 1 }, '{"history":[],"judging":{"judged":1,"meters":{"a":1}}}'],
  ])('starts over with a warning if the saved figures have %s', async (_, about, text) => {
    const store = createMemoryStore()
    const snapshot = { kind: 'quality', scope: 'ren', position: 0, time: 0, about } as const
    await store.writeSnapshot(snapshot, [new TextEncoder().encode(text)])
    const { service, logMessages } = await open(store)
    expect(service.quality()).toMatchObject([{ live: null, history: [] }])
    const message = expect.stringMatching(/^the saved quality figures of ren are unreadable/)
    expect(logMessages).toMatchObject([{ level: 'warning', message }])
  })
})
