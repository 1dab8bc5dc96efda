// The stream over a real connection: what it sends, and which clients it disconnects.

import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import type { ServiceMetrics } from '../schemas/figures.ts'
import { operations } from './operations.ts'

closeServices()
closeServers()

interface Received {
  readonly id: number
  readonly kind: string
  readonly data: Record<string, unknown>
}

async function listenTo(url: string, headers: Record<string, string> = {}) {
  const requested = request(`${url}${operations.stream.path}`, { headers })
  requested.end()
  const [response] = (await once(requested, 'response')) as [IncomingMessage]
  let text = ''
  response.setEncoding('utf8').on('data', (part) => (text += String(part)))
  const reported = (): Received[] =>
    [...text.matchAll(/^id: (\d+)\nevent: (.+)\ndata: (.+)$/gm)].map(([, id, kind, data]) => {
      return { id: Number(id), kind: kind!, data: JSON.parse(data!) as Received['data'] }
    })
  return {
    response,
    reported,
    text: () => text,
    of: (kind: string) => reported().filter((one) => one.kind === kind),
    end: () => requested.destroy(),
  }
}

/** A server that has served a slate at each of these seconds. */
async function startAt(seconds: readonly number[]) {
  let time = 0
  const clock = (): number => time
  const test = await startServer({ stream: { metricsMs: 20 } }, [], { clock })
  for (const second of seconds) {
    time = 1_000_000 + 1000 * second
    await test.service.recommend({ user: 'ann', count: 1 })
  }
  await expect.poll(() => test.service.metrics().variants[0]!.slates).toBe(seconds.length)
  return test
}

describe('a stream', () => {
  it('sends slates, interactions, runs and metrics, numbered and as JSON', async () => {
    const { server, service, send } = await startServer({
      stream: { metricsMs: 20, heartbeatMs: 30 },
      runner: {
        async start(_, onProgress) {
          onProgress({ share: 0.5, message: 'half' })
          return { answer: 42 }
        },
      },
    })
    const client = await listenTo(await server.listen({ port: 0 }))
    expect(client.response.headers['content-type']).toMatch('text/event-stream')
    const slate = await service.recommend({ user: 'ann', count: 1 })
    const { item } = slate.items[0]!
    await service.record([{ user: 'ann', item }])
    // An import may write any name to the log.
    const imported = {
      kind: 'interaction',
      user: 'ann\nevent: no',
      item,
      reward: 1,
      time: 0,
    } as const
    await service.store.append([{ event: imported }])
    await send('POST', '/v1/runs', { body: { kind: 'race' } })
    await expect.poll(() => client.of('metrics').length).toBeGreaterThan(1)
    await expect.poll(() => client.text()).toContain(': still here')
    expect(client.reported()[0]).toMatchObject({ id: 1, kind: 'hello' })
    expect(client.of('recommendation')[0]!.data).toMatchObject({ user: 'ann' })
    const interactions = () => client.of('interaction').map(({ data }) => data)
    await expect.poll(interactions).toMatchObject([{ user: 'ann', reward: 1 }, imported])
    expect(client.of('run').map(({ data }) => data['state'])).toEqual([
      'waiting',
      'running',
      'running',
      'done',
    ])
    expect(client.of('metrics')[0]!.data).toHaveProperty('metrics.variants')
    const ids = client.reported().map(({ id }) => id)
    expect(ids).toEqual(ids.map((_, i) => i + 1))
    client.end()
  })

  it('sends only the last minute of the series', async () => {
    const { service, server } = await startAt([0, 30, 90])
    const client = await listenTo(await server.listen({ port: 0 }))
    await expect.poll(() => client.of('metrics').length).toBeGreaterThan(0)
    const { metrics } = client.of('metrics')[0]!.data as { metrics: ServiceMetrics }
    const secondsOf = ({ series }: ServiceMetrics) => series.map(({ time }) => time / 1000)
    expect(secondsOf(metrics)).toEqual([1090])
    expect(secondsOf(service.metrics())).toEqual([1000, 1030, 1090])
    client.end()
  })

  it('unsubscribes after its last client has left', async () => {
    const { server, service, send } = await startServer()
    const url = await server.listen({ port: 0 })
    const before = service.subscribe
    let listeners = 0
    const counted: { subscribe: typeof before } = service
    counted.subscribe = (listener) => {
      listeners++
      const stop = before(listener)
      return () => {
        listeners--
        stop()
      }
    }
    const [first, second] = await Promise.all([listenTo(url), listenTo(url)])
    expect(listeners).toBe(1)
    expect((await send('GET', '/v1/status')).json).toMatchObject({ streams: 2 })
    first.end()
    second.end()
    await expect.poll(() => listeners).toBe(0)
    expect((await send('GET', '/v1/status')).json).toMatchObject({ streams: 0 })
  })

  it('ends when the service closes before the server', async () => {
    const { server, service } = await startServer({ stream: { metricsMs: 20 } })
    const client = await listenTo(await server.listen({ port: 0 }))
    await service.close()
    await once(client.response, 'end')
    expect(client.text()).toContain('event: closing')
  })

  it('disconnects only a client that does not read, with a reason', async () => {
    const left = { clients: 2 }
    const { server, send } = await startServer({
      stream: { buffer: 4 << 20 },
      runner: {
        async start(_, onProgress, signal) {
          const data = 'x'.repeat(1 << 20)
          while (left.clients === 2 && !signal.aborted) {
            onProgress({ share: null, message: 'much to tell', data })
            await new Promise((resolve) => setTimeout(resolve, 10))
          }
        },
      },
    })
    const url = await server.listen({ port: 0 })
    const [slow, quick] = await Promise.all([listenTo(url), listenTo(url)])
    slow.response.pause()
    await send('POST', '/v1/runs', { body: { kind: 'race' } })
    await expect
      .poll(async () => {
        const { streams } = (await send('GET', '/v1/status')).json as { readonly streams: number }
        return (left.clients = streams)
      })
      .toBe(1)
    slow.response.resume()
    await once(slow.response, 'end')
    expect(slow.reported().at(-1)).toMatchObject({ kind: 'dropped' })
    expect(quick.of('dropped')).toEqual([])
    quick.end()
  })

  it('ends when its key is revoked, and sends nothing afterwards', async () => {
    const { server, service, keys } = await startServer({ stream: { metricsMs: 50 } }, [['admin']])
    const url = await server.listen({ port: 0 })
    const client = await listenTo(url, { authorization: `Bearer ${keys[0]}` })
    await service.record([{ user: 'ann', item: 'a' }])
    await expect.poll(() => client.of('interaction').length).toBe(1)
    const [key] = await service.store.keys()
    await service.store.revokeKey(key!.id, 1)
    await once(client.response, 'end')
    expect(client.reported().at(-1)).toMatchObject({
      kind: 'dropped',
      data: { reason: 'the API key was revoked' },
    })
  })

  it('without a key ends when the first key is created', async () => {
    const { server, service, send } = await startServer()
    const client = await listenTo(await server.listen({ port: 0 }))
    await send('POST', '/v1/keys', { body: { name: 'me', scopes: ['admin'] } })
    await service.record([{ user: 'ann', item: 'a' }])
    await once(client.response, 'end')
    expect(client.reported().map(({ kind }) => kind)).toEqual(['hello', 'dropped'])
  })

  it('can be read by a page of an allowed site', async () => {
    const origin = 'https://shop.example'
    const { server } = await startServer({ allowedOrigins: [origin] })
    const client = await listenTo(await server.listen({ port: 0 }), { origin })
    expect(client.response.headers).toMatchObject({
      'access-control-allow-origin': origin,
      vary: 'origin',
      'x-content-type-options': 'nosniff',
    })
    client.end()
  })

  it('does not count as a latency', async () => {
    const lines: string[] = []
    const { server, keys, send } = await startServer(
      { stream: { metricsMs: 20 }, onRequest: ({ route }) => lines.push(route) },
      [['admin'], ['admin']],
    )
    const [listener, sender] = keys.map((key) => ({ authorization: `Bearer ${key}` }))
    const client = await listenTo(await server.listen({ port: 0 }), listener)
    const id = keys[0]!.split('_')[1]!
    await send('DELETE', `/v1/keys/${id}`, { headers: sender! })
    await once(client.response, 'end')
    await expect.poll(() => lines).toContain(operations.stream.path)
    const { json } = await send('GET', '/v1/status', { headers: sender! })
    expect(json).toMatchObject({ latencies: [{ route: 'DELETE /v1/keys/:id' }] })
    const { text } = await send('GET', '/metrics', { headers: sender! })
    expect(text).toContain('ren_http_requests_total{route="GET /v1/stream",status="2xx"} 1')
    expect(text).not.toMatch(/ren_http_request_seconds.*stream/)
  })

  it('requires a key like the other routes', async () => {
    const { server, keys } = await startServer({}, [['admin'], ['events']])
    const url = await server.listen({ port: 0 })
    const [admin, events] = keys
    const send = (key?: string) =>
      listenTo(url, key === undefined ? {} : { authorization: `Bearer ${key}` })
    expect((await send()).response.statusCode).toBe(401)
    expect((await send(events)).response.statusCode).toBe(403)
    const client = await send(admin)
    expect(client.response.statusCode).toBe(200)
    client.end()
  })
})
