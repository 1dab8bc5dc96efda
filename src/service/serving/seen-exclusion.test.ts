import { createMemoryStore, type EventStore } from 'ren-recommender/storage'
import { describe, expect, it } from 'vitest'
import { closeServices, copyOfLog, describeState, startService } from '../../../test/services.ts'
import type { Service, ServiceRequest } from '../service.ts'
import type { ServiceSettings } from '../settings.ts'

closeServices()

const items = Array.from({ length: 40 }, (_, i) => `item ${i}`)

/** Interactions of 50 users without slates, of which the last ones are repeats. */
async function recordMany(service: Service, count: number, repeats = 0): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => {
    const isRepeat = i >= count - repeats
    return { user: `user ${i % 50}`, item: items[isRepeat ? 0 : Math.floor(i / 50)]! }
  })
  for (let at = 0; at < count; at += 500) await service.record(events.slice(at, at + 500))
}

async function start(settings: Partial<ServiceSettings> = {}) {
  const store = createMemoryStore()
  const { service } = await startService({ store, ...settings }, items)
  return { service, store }
}

/** Every user has interacted with the first 20 items. */
const seenIn = async (service: Service, request: Partial<ServiceRequest> = {}) => {
  const { items: slate } = await service.recommend({ user: 'user 7', count: 20, ...request })
  return slate.filter(({ item }) => items.indexOf(item) < 20).length
}
const unrecorded = { record: false } as const

async function marksIn(store: EventStore): Promise<readonly unknown[]> {
  const events = (await Array.fromAsync(store.read(0))).flat()
  return events.flatMap(({ event }) => (event.kind === 'recommendation' ? [event.seenAllowed] : []))
}

describe('excludeSeen: auto', () => {
  it('excludes nothing before 1,000 interactions could have been repeats', async () => {
    const { service } = await start()
    expect(service.excludeSeen()).toEqual({
      mode: 'auto',
      excludes: false,
      repeatRate: null,
      interactions: 0,
    })
    await recordMany(service, 999)
    const status = { mode: 'auto', excludes: false, repeatRate: 0, interactions: 999 }
    expect(service.excludeSeen()).toEqual(status)
    expect(await seenIn(service, { ...unrecorded, count: 40 })).toBe(20)
    await service.record([{ user: 'user 49', item: items[19]! }])
    expect(service.excludeSeen()).toEqual({ ...status, excludes: true, interactions: 1000 })
    expect(await seenIn(service, unrecorded)).toBe(0)
  })

  it('excludes nothing if 5% of the interactions are repeats', async () => {
    const { service } = await start()
    await recordMany(service, 1000, 50)
    expect(service.excludeSeen()).toMatchObject({ excludes: false, repeatRate: 0.05 })
    expect(await seenIn(service, { ...unrecorded, count: 40 })).toBeGreaterThan(0)
    await recordMany(service, 1)
    expect(service.excludeSeen()).toMatchObject({ excludes: false, interactions: 1001 })
  })

  it('is overridden by a request or the settings', async () => {
    const { service } = await start()
    await recordMany(service, 1000)
    expect(await seenIn(service, { ...unrecorded, count: 40, excludeSeen: false })).toBe(20)
    const { service: never } = await start({ excludeSeen: false })
    await recordMany(never, 1000)
    expect(never.excludeSeen()).toMatchObject({ mode: false, excludes: false, repeatRate: 0 })
    expect(await seenIn(never, { ...unrecorded, count: 40 })).toBe(20)
    expect(await seenIn(never, { ...unrecorded, excludeSeen: 'auto' })).toBe(0)
    const { service: always } = await start({ excludeSeen: 'interacted' })
    await always.record([{ user: 'user 7', item: items[3]! }])
    expect(always.excludeSeen()).toMatchObject({ mode: 'interacted', excludes: true })
    expect(await seenIn(always, { ...unrecorded, count: 40 })).toBe(19)
  })

  it('does not make a slate shorter', async () => {
    const { service, store } = await start()
    await recordMany(service, 1000)
    const {
      items: slate,
      complete,
      weights,
    } = await service.recommend({
      user: 'user 7',
      count: 21,
    })
    expect([slate.length, complete]).toEqual([21, true])
    for (const { score, relevance, diversity, uncertainty } of slate) {
      const bonuses = weights!.diversity * diversity + weights!.uncertainty * uncertainty
      expect(score).toBeCloseTo(weights!.relevance * relevance + bonuses, 5)
    }
    const { items: short } = await service.recommend({
      user: 'user 7',
      count: 21,
      excludeSeen: true,
      ...unrecorded,
    })
    // Seen items fill up the slate, after all unseen ones.
    expect(new Set(slate.slice(0, 20).map(({ item }) => item))).toEqual(
      new Set(short.map(({ item }) => item)),
    )
    await service.close()
    // Such a slate is no evidence of repeats.
    expect(await marksIn(store)).toEqual([undefined])
  })

  it('still measures in a seeded share of the slates, which the log marks', async () => {
    const { service, store } = await start()
    await recordMany(service, 1000)
    let open = 0
    for (let i = 0; i < 400; i++) {
      const slate = await service.recommend({ user: `user ${i % 50}`, count: 5 })
      const isOpen = slate.items.some(({ item }) => items.indexOf(item) < 20)
      open += Number(isOpen)
    }
    await service.close()
    const marks = await marksIn(store)
    const marked = marks.filter((mark) => mark === true).length
    expect(marks).toHaveLength(400)
    expect(marked).toBeGreaterThan(1)
    expect(marked).toBeLessThan(25)
    expect(open).toBeLessThanOrEqual(marked)
  })

  it('refuses unknown values', async () => {
    const { service } = await start()
    const request = { user: 'ann', count: 1, excludeSeen: 'seen' as never }
    await expect(service.recommend(request)).rejects.toThrow(
      'excludeSeen must be true, false, auto, interacted or shown, got "seen"',
    )
    await expect(start({ excludeSeen: 'no' as never })).rejects.toThrow('excludeSeen must be')
  })
})

describe('the mark of a slate that may contain seen items', () => {
  it('is absent if the request excludes them or limits the candidates', async () => {
    const { service, store } = await start()
    const requests: Partial<ServiceRequest>[] = [
      {},
      { excludeSeen: false },
      { excludeSeen: true },
      { excludeSeen: 'shown' },
      { exclude: [items[1]!] },
      { exclude: [] },
      { candidates: items },
    ]
    for (const request of requests) await service.recommend({ user: 'ann', count: 2, ...request })
    await service.close()
    expect(await marksIn(store)).toEqual([
      true,
      true,
      undefined,
      undefined,
      undefined,
      true,
      undefined,
    ])
  })

  it('is absent if a filter leaves none of the items that the user has interacted with', async () => {
    const { service, store } = await start()
    const at = (i: number) => ({ item: items[i]!, attributes: { place: i } })
    await service.items.put(items.map((_, i) => at(i)))
    await service.record([
      { user: 'ann', item: items[9]! },
      { user: 'ann', item: items[3]! },
      { user: 'ann', item: items[20]!, reward: -1 },
    ])
    const above = (place: number) => ({ attribute: 'place', greaterThan: place })
    const requests: Partial<ServiceRequest>[] = [8, 9, 30].map((place) => ({
      filter: above(place),
    }))
    const among = { attribute: 'place', in: [0, 3, 39] }
    requests.push({ filter: among }, { filter: among, excludeSeen: true })
    for (const request of requests) await service.recommend({ user: 'ann', count: 2, ...request })
    await service.recommend({ user: 'bob', count: 2, filter: among })
    await service.close()
    const none = undefined
    expect(await marksIn(store)).toEqual([true, none, none, true, none, none])
  })

  it('decides which interactions are counted, and a replay counts the same', async () => {
    const { service, store } = await start()
    for (let i = 0; i < 60; i++) {
      const excludeSeen = i % 3 === 0
      const request = { user: `user ${i % 4}`, count: 3, excludeSeen }
      const { recommendationId, items: slate } = await service.recommend(request)
      const { item } = slate[0]!
      const id = recommendationId!
      await service.record([
        { user: `user ${i % 4}`, item, ...(i % 2 === 0 && { recommendationId: id }) },
      ])
    }
    const { interactions, repeatRate } = service.excludeSeen()
    expect(interactions).toBeGreaterThan(20)
    expect(interactions).toBeLessThan(50)
    expect(repeatRate).toBeGreaterThan(0)
    const { service: replayed } = await startService({ store: await copyOfLog(store) }, [])
    expect(replayed.excludeSeen()).toEqual(service.excludeSeen())
    expect(describeState(replayed)).toEqual(describeState(service))
  })
})
