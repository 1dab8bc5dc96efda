import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { closeServices, copyOfLog, startService } from '../../../test/services.ts'
import { createMemoryStore, type EventStore } from '../../storage/index.ts'
import type { ExplorationChoice, Service, ServiceRequest } from '../service.ts'
import type { ServedRecommendation } from '../schemas/recommendation.ts'

closeServices()

const names = (items: readonly { readonly item: string }[]) => items.map(({ item }) => item)

describe('a recommendation', () => {
  it('names its variant, model and position, and is in the log under its id', async () => {
    const store = createMemoryStore()
    const { service } = await startService({ store })
    const served = await service.recommend({ user: 'ann', count: 3, context: { page: 'home' } })
    expect(served).toMatchObject({
      variant: 'ren',
      policy: 'ren',
      modelVersion: 0,
      complete: true,
      position: 1,
    })
    expect(served.items).toHaveLength(3)
    await expect.poll(() => service.position).toBe(2)
    const stored = await store.event(served.recommendationId!)
    expect(stored?.event).toEqual({
      kind: 'recommendation',
      user: 'ann',
      time: 1_000_000,
      items: served.items,
      counted: true,
      seenAllowed: true,
      variant: 'ren',
      policy: 'ren',
      modelVersion: 0,
      context: { page: 'home' },
    })
    expect(service.users.get('ann')).toMatchObject({ slates: 1, history: [] })
    expect(served.items.map(({ item }) => service.items.get(item)?.impressions)).toEqual([1, 1, 1])
  })

  it('is the same as JSON and in the log', async () => {
    const store = createMemoryStore()
    const { service } = await startService({ store })
    const requested = { user: 'ann', count: 3, boost: { a: 0.5 }, pin: [{ item: 'b', slot: 1 }] }
    const plain = await service.recommend({ ...requested, record: false })
    expect(JSON.parse(await service.recommendJson({ ...requested, record: false }))).toEqual(plain)
    const served = JSON.parse(await service.recommendJson(requested)) as ServedRecommendation
    expect(served).toEqual({ ...plain, recommendationId: served.recommendationId })
    await expect.poll(() => service.position).toBe(2)
    const stored = await store.event(served.recommendationId!)
    expect(stored?.event).toMatchObject({ kind: 'recommendation', user: 'ann', items: plain.items })
    const none = await service.recommendJson({ user: 'ann', count: 1, candidates: [] })
    expect(JSON.parse(none)).toMatchObject({ empty: 'nothing-matches', items: [] })
  })

  it('has numbers of seven digits, in the response and in the log', async () => {
    const store = createMemoryStore()
    const { service } = await startService({ store })
    const { recommendationId, items, weights } = await service.recommend({ user: 'ann', count: 3 })
    for (const { score, relevance, diversity, uncertainty, experience = 0 } of items) {
      for (const number of [score, relevance, diversity, uncertainty, experience]) {
        expect(number).toBe(Number(number.toPrecision(7)))
      }
      const terms = weights!.relevance * relevance + weights!.diversity * diversity
      expect(terms + weights!.uncertainty * uncertainty + experience).toBeCloseTo(score, 5)
    }
    await expect.poll(() => service.position).toBe(2)
    expect((await store.event(recommendationId!))?.event).toMatchObject({ items })
  })

  it('leaves no trace if it is not recorded', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const requested = await service.recommend({ user: 'ann', count: 2, record: false })
    expect(requested.recommendationId).toBeNull()
    expect(requested.items).toHaveLength(2)
    await service.record([{ user: 'bob', item: 'a' }])
    expect(service.position).toBe(2)
    expect(service.users.get('ann')).toBeNull()
  })

  it('includes all feedback that was acknowledged before', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    for (const item of ['a', 'b', 'c']) {
      const { position } = await service.record([{ user: 'ann', item }])
      const served = await service.recommend({
        user: 'ann',
        count: 6,
        excludeSeen: true,
        afterPosition: position,
      })
      expect(served.position).toBeGreaterThanOrEqual(position)
      expect(names(served.items)).not.toContain(item)
    }
  })

  it('waits for a position, and fails if it is not reached', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const later = service.recommend({ user: 'ann', count: 1, afterPosition: 2 })
    await service.record([{ user: 'ann', item: 'a' }])
    expect((await later).position).toBe(2)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const never = service.recommend({ user: 'ann', count: 1, afterPosition: 99 })
    const refused = never.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(5000)
    expect(await refused).toMatchObject({
      code: 'not-caught-up',
      message: 'event 99 was not applied within 5000 ms',
    })
  })

  it('offers an unknown user both unseen and popular items', async () => {
    const items = Array.from({ length: 30 }, (_, i) => `item ${i}`)
    const store = createMemoryStore()
    const variants = [{ name: 'ren', method: 'ren-g' }]
    const learning = { everyEvents: 1e9, everySeconds: 1e6 }
    const { service } = await startService(
      { store, variants, learning, attributionWindow: 0 },
      items,
    )
    const [known, unseen] = [items.slice(0, 27), items.slice(27)]
    for (let round = 0; round < 20; round++) {
      const user = `user ${round}`
      const slate = await service.recommend({ user, count: 27, candidates: known })
      const answer = { user, recommendationId: slate.recommendationId! }
      await service.record([{ ...answer, item: 'item 3' }])
      if (round % 4 === 0) await service.record([{ ...answer, item: 'item 5' }])
    }
    expect(await service.model.train()).toMatchObject([{ outcome: 'trained' }])
    const slate = names((await service.recommend({ user: 'new', count: 5 })).items)
    expect(slate).toEqual(expect.arrayContaining(unseen))
    expect(slate.filter((item) => !unseen.includes(item))).toEqual(['item 3', 'item 5'])
  })

  it('picks from the items that match a filter, and says if none does', async () => {
    const { service } = await startService({ store: createMemoryStore() }, [])
    const before = await service.recommend({ user: 'ann', count: 1 })
    expect(before).toMatchObject({
      items: [],
      complete: false,
      empty: 'no-items',
      recommendationId: null,
    })
    await service.items.put([
      { item: 'a', attributes: { genre: ['war', 'drama'], year: 1999 } },
      { item: 'b', attributes: { genre: ['war'], year: 2010 } },
      { item: 'c', attributes: { year: 2020 } },
    ])
    const recommend = async (filter: ServiceRequest['filter'], more?: Partial<ServiceRequest>) => {
      const served = await service.recommend({ user: 'ann', count: 3, filter: filter!, ...more })
      return { ...served, names: names(served.items).toSorted() }
    }
    const war = { attribute: 'genre', equals: 'war' }
    expect((await recommend(war)).names).toEqual(['a', 'b'])
    expect((await recommend({ not: war })).names).toEqual(['c'])
    expect((await recommend(war, { candidates: ['b', 'c'] })).names).toEqual(['b'])
    expect(await recommend({ attribute: 'genre', equals: 'fun' })).toMatchObject({
      names: [],
      complete: false,
      empty: 'nothing-matches',
    })
    expect(await recommend(war, { exclude: ['a', 'b'] })).toMatchObject({
      names: [],
      empty: 'all-excluded',
    })
    await service.items.put([{ item: 'a', attributes: { genre: ['fun'] } }])
    expect((await recommend(war)).names).toEqual(['b'])
    await expect(recommend({ attribute: 'genre' } as never)).rejects.toThrow(/^filter must have/)
  })

  it('pins items to slots, boosts and excludes', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const served = await service.recommend({
      user: 'ann',
      count: 3,
      pin: [{ item: 'd', slot: 2 }],
      boost: { e: 1000 },
      exclude: ['a'],
    })
    expect(served.items[1]).toMatchObject({ item: 'd', pinned: true })
    expect(served.items[0]).toMatchObject({ item: 'e' })
    expect(names(served.items)).not.toContain('a')
    expect(served.items[0]).not.toHaveProperty('pinned')
  })

  it('can explore differently for one request', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    await service.record([{ user: 'ann', item: 'a' }])
    const recommend = (exploration: ServiceRequest['exploration'], slate?: 'sequential') =>
      service.recommend({
        user: 'ann',
        count: 6,
        record: false,
        exploration: exploration!,
        ...(slate && { slate }),
      })
    const greedy = await recommend({ policy: 'greedy' })
    expect(greedy.policy).toBe('greedy')
    expect(names((await recommend({ weight: 0 })).items)).toEqual(names(greedy.items))
    const weighted = await recommend({ diversityWeight: 0, uncertaintyWeight: 0 })
    expect(names(weighted.items)).toEqual(names(greedy.items))
    const bold = await recommend({ diversityWeight: 0, uncertaintyWeight: 100 }, 'sequential')
    expect(bold.policy).toBe('ren')
    expect(bold.items[0]!.score).toBeGreaterThan(50)
    expect((await recommend({ policy: 'epsilon-greedy', settings: { epsilon: 1 } })).policy).toBe(
      'epsilon-greedy',
    )
    await expect(recommend({ policy: 'greedy' }, 'sequential')).rejects.toThrow(
      /^slate must be absent for the policy greedy/,
    )
    await expect(recommend({ policy: 'none' })).rejects.toThrow(
      /^exploration.policy must be one of/,
    )
    const none = await recommend({ weight: 1, exploratoryShare: 0 })
    expect(names(none.items)).toEqual(names(greedy.items))
    await expect(recommend({ weight: 1, exploratoryShare: 2 })).rejects.toThrow(/exploratoryShare/)
    await expect(recommend({ weight: 2 })).rejects.toThrow(
      /exploration\.weight must be a number from 0 to 1/,
    )
    await expect(recommend({ weight: 1, other: 2 } as never)).rejects.toThrow(
      /^exploration must be \{ weight/,
    )
  })

  it('is less diverse for an item that failed, unless A_t contains rewarded items only', async () => {
    const store = createMemoryStore()
    const { service } = await startService({ store })
    const diversityIn = async (one: Service, exploration?: ExplorationChoice) => {
      const request = { user: 'ann', count: 1, candidates: ['a'], record: false }
      const { items } = await one.recommend({ ...request, ...(exploration && { exploration }) })
      return items[0]!.diversity
    }
    const rewarded = { policy: 'ren', settings: { designMatrix: 'rewarded' } } as const
    const before = await diversityIn(service)
    await service.record([{ user: 'ann', item: 'a', reward: 0 }])
    const after = await diversityIn(service)
    expect(after).toBeLessThan(before)
    expect(await diversityIn(service, rewarded)).toBe(before)
    const { service: replayed } = await startService({ store: await copyOfLog(store) })
    expect(await diversityIn(replayed)).toBe(after)
    await replayed.users.erase('ann')
    expect(await diversityIn(replayed)).toBe(before)
  })

  it('supports any number of named policies in succession', async () => {
    const variants = [{ name: 'greedy', method: 'gru4rec', settings: { dimension: 4 } }]
    const { service } = await startService({ store: createMemoryStore(), variants })
    const recommend = async (exploration: ExplorationChoice) =>
      (await service.recommend({ user: 'ann', count: 3, record: false, exploration })).items
    const named = (uncertaintyWeight: number) =>
      recommend({ policy: 'ren', settings: { uncertaintyWeight } })
    const [first, half] = [await named(0), await recommend({ weight: 0.5 })]
    for (let i = 1; i < 100; i++) expect(await named(i / 100)).toHaveLength(3)
    expect(await named(0)).toEqual(first)
    expect(await recommend({ weight: 0.5 })).toEqual(half)
  })

  it.each<[object, RegExp]>([
    [{ user: 'ann', count: 1, candidates: ['a', 'x', 'y'] }, /"x", "y"/],
    [{ user: 'ann', count: 1, exclude: ['x'] }, /"x"/],
    [{ user: '', count: 1 }, /^user must be a string of 1 to 256 characters/],
    [{ user: '\ud800', count: 1 }, /^user must be a string of 1 to 256 characters/],
    [{ user: 'ann', count: 0 }, /^count must be an integer from 1 to 1000, got 0/],
    [
      { user: 'ann', count: 1, boost: { a: -1e7 } },
      /^boost\.a must be a number from -1000000 to 1000000/,
    ],
    [
      { user: 'ann', count: 1, exploration: { diversityWeight: 1e38, uncertaintyWeight: 0 } },
      /^exploration\.diversityWeight must be .* to 1000000, got 1e\+38$/,
    ],
    ...(
      [
        ['neural-ucb', { steps: 101 }, /^exploration\.settings\.steps must be .* to 100, got 101$/],
        ['neural-ucb', { unitPairs: 17 }, /unitPairs must be .* to 16, got 17$/],
        ['lin-ts', { propensityDraws: 201 }, /propensityDraws must be .* to 200, got 201$/],
        ['base-ren', { scale: 1e300 }, /scale must be .* to 1000000, got 1e\+300$/],
      ] as const
    ).map(([policy, settings, message]): [object, RegExp] => [
      { user: 'ann', count: 1, exploration: { policy, settings } },
      message,
    ]),
    [
      { user: 'ann', count: 1, candidate: [] },
      /^request has no key "candidate"; its keys are user, /,
    ],
    [{ user: 'ann', count: 1, context: { at: 1n } }, /^context\.at must be plain JSON/],
    [{ user: 'ann', count: 1, afterPosition: -1 }, /^afterPosition/],
    [{ user: 'ann', count: 1, record: 'no' }, /^record must be a boolean/],
  ])('%o is refused', async (request, message) => {
    const { service } = await startService({ store: createMemoryStore() })
    await expect(service.recommend(request as ServiceRequest)).rejects.toThrow(message)
    expect(service.health().ready).toBe(true)
  })
})

it('reports where a request is malformed, also in the library API', async () => {
  const { service } = await startService({ store: createMemoryStore() })
  const refused = { code: 'invalid-argument', path: 'pin[0].slot' }
  const request = { user: 'ann', count: 1, pin: [{ item: 'a', slot: 0 }] }
  await expect(service.recommend(request)).rejects.toMatchObject(refused)
  await expect(service.recommendJson(request)).rejects.toMatchObject(refused)
  await expect(service.recommend(null as never)).rejects.toThrow(
    'request must be an object, got null',
  )
})

describe('a store that cannot be written', () => {
  it('does not prevent serving, makes the service not ready, and is recovered from', async () => {
    let failing = false
    const inner = createMemoryStore()
    const store: EventStore = {
      ...inner,
      append: async (...args) => {
        if (failing) throw new Error('no space left')
        return inner.append(...args)
      },
    }
    const { service, logMessages } = await startService({ store })
    failing = true
    const served = await service.recommend({ user: 'ann', count: 2 })
    expect(served.items).toHaveLength(2)
    await expect.poll(() => service.health().ready).toBe(false)
    expect(service.health().problems).toEqual(['the last write failed: no space left'])
    expect(logMessages).toEqual([
      { level: 'error', message: 'served slates cannot be recorded: no space left' },
    ])
    await service.recommend({ user: 'bob', count: 2 })
    await expect(service.record([{ user: 'ann', item: 'a' }])).rejects.toThrow('no space left')
    expect(service.users.get('ann')).toBeNull()
    failing = false
    await service.record([{ user: 'ann', item: 'a' }])
    expect(service.health()).toMatchObject({ ready: true, problems: [] })
    await service.recommend({ user: 'ann', count: 2 })
    const again = { level: 'warning', message: 'served slates are recorded again; 2 were lost' }
    await expect.poll(() => logMessages.slice(1)).toEqual([again])
  })
})
