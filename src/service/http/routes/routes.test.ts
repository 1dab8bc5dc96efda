// The behavior of single routes beyond their schemas.

import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../../test/servers.ts'
import { closeServices } from '../../../../test/services.ts'
import { limits } from '../../limits.ts'

closeServices()
closeServers()

const ann = { user: 'ann', count: 1 }
const taken = { user: 'ann', item: 'a' }
const many = <T>(length: number, value: T): T[] => Array.from({ length }, () => value)

describe('POST /v1/recommendations', () => {
  it('serves many at once, with an error in place of an invalid one', async () => {
    const { send } = await startServer()
    const requests = [ann, { user: 'bob' }, { ...ann, candidates: ['nothing'] }, 7, ann]
    const { status, json } = await send('POST', '/v1/recommendations', { body: { requests } })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      results: [
        { variant: 'ren', items: [{}] },
        {
          error: {
            code: 'invalid-argument',
            message: 'count is required',
            path: 'body.requests[1].count',
          },
        },
        { error: { code: 'unknown-item', path: 'body.requests[2].candidates[0]' } },
        { error: { message: 'request must be an object, got 7', path: 'body.requests[3]' } },
        { variant: 'ren', items: [{}] },
      ],
    })
  })

  it('refuses requests beyond its limits', async () => {
    const { send } = await startServer()
    const refuse = async (body: unknown, path: string): Promise<void> => {
      const answer = await send('POST', '/v1/recommendations', { body })
      expect([answer.status, answer.json]).toMatchObject([
        400,
        { error: { path, message: expect.stringContaining(' must ') } },
      ])
    }
    await refuse({ requests: many(limits.requests + 1, ann) }, 'body.requests')
    await refuse({ requests: [] }, 'body.requests')
    await refuse({ ...ann, count: limits.count + 1 }, 'body.count')
    await refuse({ ...ann, user: 'x'.repeat(257) }, 'body.user')
    await refuse({ ...ann, candidates: Array(limits.candidates + 1).fill('a') }, 'body.candidates')
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) })
    await refuse({ ...ann, context: nested(33) }, 'body.context')
    await refuse({ ...ann, afterPosition: 999 }, 'body.afterPosition')
    const fine = { ...ann, context: nested(32), candidates: Array(limits.candidates).fill('a') }
    expect((await send('POST', '/v1/recommendations', { body: fine })).status).toBe(200)
  })

  it('accepts filters with sixteen levels, and no more', async () => {
    const { send } = await startServer()
    const filter = (depth: number): unknown =>
      depth === 1 ? { attribute: 'a', exists: false } : { and: [filter(depth - 1)] }
    const statusOf = async (depth: number) =>
      (await send('POST', '/v1/recommendations', { body: { ...ann, filter: filter(depth) } }))
        .status
    expect(await statusOf(limits.depth)).toBe(200)
    expect(await statusOf(limits.depth + 1)).toBe(400)
    expect(await statusOf(1000)).toBe(400)
  })

  it('includes the events that were recorded before', async () => {
    const { send } = await startServer()
    const reported = await send('POST', '/v1/events', { body: taken })
    const { position } = reported.json as { readonly position: number }
    const body = { ...ann, count: 6, afterPosition: position, excludeSeen: 'interacted' }
    const { json } = await send('POST', '/v1/recommendations', { body })
    const { items } = json as { readonly items: readonly { readonly item: string }[] }
    expect(items.map(({ item }) => item).toSorted()).toEqual(['b', 'c', 'd', 'e', 'f'])
  })
})

describe('POST /v1/events', () => {
  it('refuses invalid times, and says what it expects', async () => {
    const { send } = await startServer()
    for (const time of [-1, 1e300, 1_700_000_000_000_000, '2026-01-01']) {
      const { status, json } = await send('POST', '/v1/events', { body: { ...taken, time } })
      expect([status, json], String(time)).toMatchObject([
        400,
        { error: { message: expect.stringContaining('time must be milliseconds since') } },
      ])
    }
    const body = { ...taken, time: 0 }
    expect((await send('POST', '/v1/events', { body })).status).toBe(200)
  })

  it('records the valid events of a batch, and reports the others by index', async () => {
    const { send, service } = await startServer()
    const events = [
      { ...taken, user: 3 },
      taken,
      { ...taken, item: 'nothing' },
      { ...taken, id: '1' },
    ]
    const { status, json } = await send('POST', '/v1/events', { body: { events } })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      accepted: 2,
      repeated: 0,
      rejected: [
        { index: 0, code: 'invalid-argument', path: 'body.events[0].user' },
        { index: 2, code: 'unknown-item', path: 'body.events[2].item' },
      ],
    })
    expect(service.users.get('ann')!.history).toHaveLength(2)
    const again = await send('POST', '/v1/events', { body: { ...taken, id: '1' } })
    expect(again.json).toMatchObject({ accepted: 0, repeated: 1 })
  })

  it.each([
    ['malformed', { user: 'ann', color: 'blue' }, 400, 'invalid-argument'],
    ['of an item that is not there', { user: 'ann', item: 'nothing' }, 422, 'unknown-item'],
    ['all malformed', { events: [{}, 1] }, 400, 'invalid-argument'],
    ['malformed or refused', { events: [{}, { ...taken, item: 'x' }] }, 422, 'invalid-argument'],
    ['no list', { events: 'all' }, 400, 'invalid-argument'],
    ['none', { events: [] }, 400, 'invalid-argument'],
    ['too many', { events: many(1001, taken) }, 400, 'invalid-argument'],
  ])('records nothing of what is %s', async (_, body, status, code) => {
    const { send, service } = await startServer()
    const before = await service.store.head()
    const answer = await send('POST', '/v1/events', { body })
    expect([answer.status, answer.json]).toMatchObject([status, { error: { code } }])
    expect(await service.store.head()).toBe(before)
  })
})

describe('items and users', () => {
  it('can have any name in the path', async () => {
    const { send } = await startServer()
    for (const name of ['a/b', 'ナ😀', '100%', "'; drop table", ' ', 'x?y=1#z', '😀'.repeat(256)]) {
      const path = `/v1/items/${encodeURIComponent(name)}`
      expect((await send('PUT', path, { body: {} })).json, name).toMatchObject({ added: 1 })
      expect((await send('GET', path)).json, name).toMatchObject({ item: name })
      expect((await send('DELETE', path)).status, name).toBe(200)
    }
  })

  it('are listed in pages without gaps', async () => {
    const { send } = await startServer()
    const seen: string[] = []
    for (let after = ''; ;) {
      const { json } = await send('GET', `/v1/items?limit=4${after}`)
      const { entries, next } = json as { entries: { item: string }[]; next: string | null }
      seen.push(...entries.map(({ item }) => item))
      if (next === null) break
      after = `&after=${encodeURIComponent(next)}`
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  it('are found by prefix', async () => {
    const { send } = await startServer()
    for (const item of ['lamp 1', 'lamp 2', 'lamp 3', 'Lamp']) {
      await send('PUT', `/v1/items/${encodeURIComponent(item)}`, { body: { attributes: { item } } })
      await send('POST', '/v1/events', { body: { user: item, item } })
    }
    for (const kind of ['item', 'user']) {
      const find = async (query: string) => {
        const { json } = await send('GET', `/v1/${kind}s?${query}`)
        const { entries, next } = json as { entries: Record<string, string>[]; next: unknown }
        return { found: entries.map((entry) => entry[kind]), next }
      }
      const first = { found: ['lamp 1', 'lamp 2'], next: 'lamp 2' }
      expect(await find('prefix=lamp&limit=2')).toEqual(first)
      const rest = { found: ['lamp 3'], next: null }
      expect(await find('prefix=lamp&limit=2&after=lamp%202')).toEqual(rest)
      expect(await find('prefix=lamps')).toEqual({ found: [], next: null })
    }
    const filter = encodeURIComponent(JSON.stringify({ attribute: 'item', equals: 'Lamp' }))
    const { json } = await send('GET', `/v1/items?prefix=lamp&filter=${filter}`)
    expect(json).toEqual({ entries: [], next: null })
  })

  it('have pages of events, newest first', async () => {
    const { send } = await startServer()
    const events = ['a', 'b', 'c'].map((item) => ({ user: 'ann/x', item, id: `take ${item}` }))
    await send('POST', '/v1/events', { body: { events } })
    const path = '/v1/users/ann%2Fx/events'
    const first = await send('GET', `${path}?limit=2`)
    expect(first.json).toMatchObject({
      entries: [
        {
          position: 4,
          id: 'feedback take c',
          event: { kind: 'interaction', user: 'ann/x', item: 'c' },
        },
        { position: 3 },
      ],
      next: 3,
    })
    const second = await send('GET', `${path}?before=3`)
    expect(second.json).toMatchObject({ entries: [{ position: 2 }], next: null })
    expect((await send('GET', `${path}?before=x`)).status).toBe(400)
    expect((await send('GET', `${path}?limit=1001`)).status).toBe(400)
  })

  it('can be filtered by their attributes', async () => {
    const { send } = await startServer()
    await send('PUT', '/v1/items/new', {
      body: { attributes: { color: 'blue', sizes: ['s', 'm'] } },
    })
    const find = async (filter: unknown) => {
      const text = encodeURIComponent(JSON.stringify(filter))
      const { json } = await send('GET', `/v1/items?filter=${text}`)
      return (json as { entries: { item: string }[] }).entries.map(({ item }) => item)
    }
    expect(await find({ attribute: 'sizes', equals: 'm' })).toEqual(['new'])
    expect(await find({ not: { attribute: 'color', exists: true } })).toHaveLength(6)
  })

  it('that do not exist are not found', async () => {
    const { send } = await startServer()
    const paths = ['/v1/items/none', '/v1/users/none', '/v1/recommendations/none', '/v1/runs/none']
    const codes = ['unknown-item', 'not-found', 'not-found', 'not-found']
    for (const [i, path] of paths.entries()) {
      const answer = await send('GET', path)
      expect([answer.status, answer.json], path).toMatchObject([404, { error: { code: codes[i] } }])
    }
  })
})

describe('machines', () => {
  it('can check whether the service is ready, and with a key why not', async () => {
    const { send, service } = await startServer()
    const probe = async () => {
      const { status, json } = await send('GET', '/readyz')
      return { status, json }
    }
    expect(await probe()).toEqual({ status: 200, json: { ready: true, state: 'ready' } })
    expect((await send('GET', '/metrics')).text).toContain('ren_problems 0')
    const { health } = service
    const sick: { health: typeof service.health } = service
    const problems = ['the disk at /secret/place is full']
    sick.health = () => ({ ...health(), problems })
    expect(await probe()).toEqual({ status: 200, json: { ready: true, state: 'degraded' } })
    sick.health = () => ({ ...health(), ready: false, problems })
    expect(await probe()).toEqual({ status: 503, json: { ready: false, state: 'failing' } })
    expect((await send('GET', '/v1/status')).json).toMatchObject({ ready: false, problems })
    expect((await send('GET', '/metrics')).text).toMatch(/ren_ready 0\n[^]*ren_problems 1\n/)
    sick.health = health
    expect(await probe()).toMatchObject({ status: 200 })
    await service.close()
    expect(await probe()).toEqual({ status: 503, json: { ready: false, state: 'closed' } })
  })

  it('get metrics in the Prometheus format, with cumulative buckets', async () => {
    const { send } = await startServer()
    for (let i = 0; i < 3; i++) await send('POST', '/v1/recommendations', { body: ann })
    await send('POST', '/v1/events', { body: { events: [taken, { user: 1 }] } })
    await send('GET', '/v1/nowhere')
    const { text, headers } = await send('GET', '/metrics')
    expect(headers['content-type']).toMatch('text/plain; version=0.0.4')
    const value = (name: string): number => {
      const line = text.split('\n').find((one) => one.startsWith(`${name} `))
      return Number(line?.split(' ').at(-1))
    }
    const route = 'route="POST /v1/recommendations"'
    expect(value(`ren_http_requests_total{${route},status="2xx"}`)).toBe(3)
    expect(value(`ren_http_request_seconds_count{${route}}`)).toBe(3)
    expect(value(`ren_http_request_seconds_bucket{le="+Inf",${route}}`)).toBe(3)
    expect(value(`ren_http_request_seconds_bucket{le="16.777216",${route}}`)).toBe(3)
    expect(value(`ren_http_request_seconds_sum{${route}}`)).toBeGreaterThan(0)
    expect(value('ren_recommendations_total')).toBe(3)
    expect(value('ren_events_total{outcome="accepted"}')).toBe(1)
    expect(value('ren_events_total{outcome="rejected"}')).toBe(1)
    expect(value('ren_position')).toBeGreaterThan(0)
    expect(value('ren_items')).toBe(6)
    expect(value('ren_store_bytes')).toBeGreaterThan(0)
    expect(value('ren_model_version{group="ren"}')).toBeGreaterThanOrEqual(0)
    expect(text).toMatch(/ren_event_loop_lag_p99_seconds \d/)
    expect(text).toMatch(/ren_model_swap_seconds_bucket/)
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e7)
    expect(value('process_start_time_seconds')).toBeCloseTo(performance.timeOrigin / 1000, 3)
  })

  it('read sizes and latencies from the status', async () => {
    const { send } = await startServer()
    await send('GET', '/healthz')
    const { json } = await send('GET', '/v1/status')
    expect(json).toMatchObject({
      ready: true,
      items: 6,
      store: { location: expect.any(String), events: 1 },
      latencies: [{ route: 'GET /healthz', requests: 1, p50: expect.any(Number) }],
    })
  })
})

it('offers runs and imports with a runner, and refuses them without one', async () => {
  const { send } = await startServer()
  const run = await send('POST', '/v1/runs', { body: { kind: 'race' } })
  expect([run.status, run.json]).toMatchObject([501, { error: { code: 'not-available' } }])
  const able = await startServer({ runner: { start: async ({ settings }) => settings } })
  const started = await able.send('POST', '/v1/runs', {
    body: { kind: 'race', settings: { seed: 1 } },
  })
  expect(started.status).toBe(202)
  const { id } = started.json as { readonly id: string }
  await expect
    .poll(async () => (await able.send('GET', `/v1/runs/${id}`)).json)
    .toMatchObject({ state: 'done', result: { seed: 1 } })
  expect((await able.send('DELETE', `/v1/runs/${id}`)).status).toBe(200)
  expect((await able.send('GET', '/v1/runs')).json).toEqual({ jobs: [] })
})
