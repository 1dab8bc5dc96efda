// A server on the network: where it listens, invalid bytes, and the shutdown.

import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import type { Service } from '../service.ts'
import { makeKey } from './key-ring.ts'
import type { RequestLine } from './options.ts'

closeServices()
closeServers()

const json = { 'content-type': 'application/json' }
const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: json,
  body: JSON.stringify(body),
})

/** The response of a server to raw bytes. */
async function answerTo(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text) => (answer += String(text)))
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

/** Delays all recommendations until `go` is called; `requested` resolves after a number of requests. */
function holdUp(service: Service) {
  const { recommendJson } = service
  const gate = Promise.withResolvers<void>()
  let calls = 0
  const slow: { recommendJson: typeof recommendJson } = service
  slow.recommendJson = async (request) => {
    calls++
    await gate.promise
    return recommendJson(request)
  }
  const requested = async (times: number): Promise<void> => {
    await expect.poll(() => calls, { interval: 2 }).toBe(times)
  }
  return { go: gate.resolve, requested }
}

describe('listening', () => {
  it('is limited to this machine by default', async () => {
    const { server } = await startServer()
    const url = await server.listen({ port: 0 })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ live: true })
  })

  it('on other addresses requires a valid key', async () => {
    const { server, service } = await startServer()
    const everywhere = { host: '0.0.0.0', port: 0 }
    await expect(server.listen(everywhere)).rejects.toMatchObject({ code: 'key-required' })
    const [old, current] = ['old', 'current'].map((name) =>
      makeKey({ name, scopes: ['recommend'], time: 0 }),
    )
    await service.store.addKey({ ...old!.stored, revoked: 1 })
    await expect(server.listen(everywhere)).rejects.toMatchObject({ code: 'key-required' })
    await service.store.addKey(current!.stored)
    await expect(server.listen(everywhere)).resolves.toMatch(/^http/)
  })
})

it('refuses a rate limit of 0', async () => {
  for (const rateLimit of [0, -1, 1.5, Number.NaN]) {
    await expect(startServer({ rateLimit })).rejects.toThrow(/rateLimit must be a positive/)
  }
})

describe('a request', () => {
  it('gets the response of the service', async () => {
    const { server } = await startServer()
    const url = await server.listen({ port: 0 })
    const requested = await fetch(`${url}/v1/recommendations`, post({ user: 'ann', count: 2 }))
    const slate = (await requested.json()) as {
      recommendationId: string
      items: { item: string }[]
    }
    expect(slate.items).toHaveLength(2)
    const { recommendationId, items } = slate
    const event = { user: 'ann', item: items[0]!.item, recommendationId }
    const received = await fetch(`${url}/v1/events`, post(event))
    expect(await received.json()).toMatchObject({ accepted: 1, rejected: [] })
    const timeline = await fetch(`${url}/v1/recommendations/${recommendationId}`)
    expect(await timeline.json()).toMatchObject({
      user: 'ann',
      items: [{ chosen: true, reward: 1 }, {}],
    })
  })

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['HTTP of old', 'GET /healthz HTTP/1.0\r\n\r\n', 421],
    [
      'a path of no UTF-8',
      'GET /v1/items/%ff HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      400,
    ],
  ])('that is %s gets an error as JSON', async (_, bytes, status) => {
    const { server } = await startServer()
    const answer = await answerTo(await server.listen({ port: 0 }), bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (!answer.includes('content-length: 0') && answer.includes('{')) {
      expect(JSON.parse(answer.slice(answer.indexOf('{')))).toHaveProperty('error.code')
    }
  })

  it('that fails with an internal error gets a reference, and the log message has the details', async () => {
    const { send, service, logMessages } = await startServer()
    const failing: Partial<Record<'metrics', unknown>> = service
    failing.metrics = () => {
      throw new TypeError('a secret of the house')
    }
    const { status, text } = await send('GET', '/v1/metrics')
    expect(status).toBe(500)
    const reference = /its reference is ([\w-]{36})/.exec(text)![1]!
    expect(text).not.toMatch(/secret|server\.test/)
    expect(logMessages).toMatchObject([{ level: 'error', code: 'internal' }])
    expect(logMessages[0]!.message).toContain(reference)
    expect(logMessages[0]!.message).toContain('a secret of the house')
  })

  it('is logged without its key, its body and the names in its path', async () => {
    const lines: RequestLine[] = []
    const { send, keys } = await startServer({ onRequest: (line) => lines.push(line) }, [['admin']])
    const headers = { authorization: `Bearer ${keys[0]}` }
    await send('GET', '/v1/users/ann-of-the-hill?limit=3', { headers })
    expect(lines).toEqual([
      { method: 'GET', route: '/v1/users/:user', status: 404, ms: expect.any(Number) },
    ])
  })
})

describe('closing', () => {
  it('finishes pending requests, ends streams, and accepts no more requests', async () => {
    const { server, service } = await startServer()
    const url = await server.listen({ port: 0 })
    const { go, requested } = holdUp(service)
    const stream = await fetch(`${url}/v1/stream`)
    const begun = fetch(`${url}/v1/recommendations`, post({ user: 'ann', count: 1 }))
    await requested(1)
    const closing = server.close()
    expect(await stream.text()).toMatch(/event: closing/)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
    go()
    expect((await begun).status).toBe(200)
    await closing
    await server.close()
    expect(service.health().live, 'the service is not its own').toBe(true)
  })

  it('is not delayed by a client that requests a stream at the last moment', async () => {
    const { server, service } = await startServer()
    const { go, requested } = holdUp(service)
    const socket = connect(Number(new URL(await server.listen({ port: 0 })).port), '127.0.0.1')
    const body = JSON.stringify({ user: 'ann', count: 1 })
    const head = 'host: localhost\r\ncontent-type: application/json\r\n'
    const length = `content-length: ${body.length}`
    const request = `POST /v1/recommendations HTTP/1.1\r\n${head}${length}\r\n\r\n${body}`
    socket.write(request)
    await requested(1)
    const closing = server.close()
    // A later event shows that it has arrived.
    socket.write(`GET /v1/stream HTTP/1.1\r\nhost: localhost\r\n\r\n${request}`)
    let answers = ''
    socket.setEncoding('utf8').on('data', (text) => (answers += String(text)))
    await requested(2)
    go()
    await Promise.all([closing, once(socket, 'close')])
    expect(answers).toMatch(/"complete":true[\s\S]*event: closing/)
  })

  it('closes the service if it owns it', async () => {
    const { server, service } = await startServer({ ownsService: true })
    await server.close()
    await expect(service.recommend({ user: 'ann', count: 1 })).rejects.toMatchObject({
      code: 'service-closed',
    })
  })
})
