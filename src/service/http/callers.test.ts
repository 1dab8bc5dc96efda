// Host, Origin and Content-Type, on every route of the table.

import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import type { KeyScope } from '../../storage/index.ts'
import { operations, type Operation } from './operations.ts'
import { createServer } from './server.ts'

closeServices()
closeServers()

const routes: readonly Operation[] = Object.values(operations)
const nowhere = { method: 'GET', path: '/nowhere' } as const

describe('on every route', () => {
  it('a request for another host or from a page of another site is refused', async () => {
    const test = await startServer()
    for (const { method, path } of [...routes, nowhere]) {
      const foreign = await test.send(method, path, { headers: { host: 'evil.example' } })
      expect([foreign.status, foreign.json], path).toMatchObject([
        421,
        { error: { code: 'host-refused' } },
      ])
      const page = await test.send(method, path, { headers: { origin: 'https://evil.example' } })
      expect([page.status, page.json], path).toMatchObject([
        403,
        { error: { code: 'origin-refused' } },
      ])
      expect(page.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it('a body must be JSON with the right content type', async () => {
    const test = await startServer()
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'x',
      '',
    ]
    for (const { method, path } of routes.filter((one) => one.method !== 'GET')) {
      for (const type of types) {
        const headers = { 'content-type': type }
        const answer = await test.send(method, path, { body: '{"user":"ann"}', headers })
        expect([answer.status, answer.json], `${path} ${type}`).toMatchObject([
          415,
          { error: { code: 'content-type-refused' } },
        ])
      }
    }
  })
})

describe('a body', () => {
  it('must be valid UTF-8, since a replaced byte would merge users', async () => {
    const { server, service } = await startServer()
    const record = (bytes: readonly number[], type = 'application/json') =>
      server.inject({
        method: 'POST',
        url: '/v1/events',
        headers: { 'content-type': type },
        payload: Buffer.concat([
          Buffer.from('{"item":"a","user":"ann'),
          Buffer.from(bytes),
          Buffer.from('"}'),
        ]),
      })
    for (const bytes of [[0xff], [0xe9], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
      const { statusCode, payload } = await record(bytes)
      expect(statusCode).toBe(400)
      const error = { code: 'invalid-argument', message: 'the body must be UTF-8', path: 'body' }
      expect(JSON.parse(payload)).toEqual({ error })
    }
    for (const charset of ['utf-16', 'latin1', '"utf-7"']) {
      const { statusCode, payload } = await record([], `application/json; charset=${charset}`)
      expect([statusCode, JSON.parse(payload)]).toMatchObject([
        415,
        { error: { code: 'content-type-refused' } },
      ])
    }
    for (const charset of ['utf-8', 'UTF8', '"utf-8"']) {
      const type = `application/json;charset=${charset}`
      expect((await record([0xc3, 0xa9], type)).statusCode).toBe(200)
    }
    expect(service.users.get('anné')).toMatchObject({ user: 'anné' })
    expect(service.users.count).toBe(1)
  })
})

describe('a method', () => {
  it('that the path does not allow gets 405 with the methods that it does', async () => {
    const { server } = await startServer()
    const send = (method: string, url: string) =>
      server.inject({ method: method as 'GET', url, headers: { host: 'localhost' } })
    for (const [method, url, allow] of [
      ['POST', '/v1/status', 'GET, HEAD'],
      ['PATCH', '/v1/events', 'POST'],
      ['TRACE', '/healthz', 'GET, HEAD'],
      ['DELETE', '/v1/keys?x=1', 'GET, HEAD, POST'],
      ['HEAD', '/v1/stream', 'GET'],
      ['QUERY', '/', 'GET, HEAD'],
      ['PATCH', '/v1/items/labels', 'POST'],
    ] as const) {
      const { statusCode, headers, payload } = await send(method, url)
      expect([statusCode, headers['allow']], `${method} ${url}`).toEqual([405, allow])
      if (method !== 'HEAD') expect(payload).toContain('"code":"method-refused"')
    }
    expect((await send('PATCH', '/v1/nothing')).statusCode).toBe(404)
  })

  it('HEAD gets the headers of GET, and counts as GET', async () => {
    const { send, keys } = await startServer({}, [['recommend']])
    expect((await send('HEAD', '/v1/items')).status).toBe(401)
    const headers = { authorization: `Bearer ${keys[0]}` }
    expect((await send('HEAD', '/v1/items', { headers })).status).toBe(200)
    expect((await send('HEAD', '/v1/status', { headers })).status).toBe(403)
    const [head, get] = [await send('HEAD', '/healthz'), await send('GET', '/healthz')]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })
})

describe('allowed hosts and origins', () => {
  it('may send requests, and get CORS headers', async () => {
    const origin = 'https://page.example'
    const allowed = { allowedHosts: ['shop.example'], allowedOrigins: [origin] }
    const test = await startServer(allowed, [['admin']])
    const headers = { host: 'shop.example:443', origin }
    const authorization = `Bearer ${test.keys[0]}`
    const answer = await test.send('GET', '/v1/model', { headers: { ...headers, authorization } })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' })
    const first = { ...headers, 'access-control-request-method': 'POST' }
    const preflight = await test.send('OPTIONS', '/v1/events', { headers: first })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization')
    const evil = { ...first, origin: 'https://evil.example' }
    expect((await test.send('OPTIONS', '/v1/events', { headers: evil })).status).toBe(403)
  })

  it('do not affect pages of this server', async () => {
    const test = await startServer()
    const headers = { host: 'localhost:80', origin: 'http://localhost:80' }
    const answer = await test.send('GET', '/v1/model', { headers })
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('too much', () => {
  it('in one second is refused until the next, separately for each key and address', async () => {
    let now = 1000
    const test = await startServer({ rateLimit: 3, clock: () => now }, [['admin']])
    const send = () => test.send('GET', '/openapi.json')
    for (let i = 0; i < 3; i++) expect((await send()).status).toBe(200)
    const refused = await send()
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('1')
    expect(refused.json).toMatchObject({ error: { code: 'rate-limited' } })
    expect((await test.send('GET', '/v1/model')).status, 'and has no key').toBe(429)
    const headers = { authorization: `Bearer ${test.keys[0]}` }
    expect((await test.send('GET', '/v1/model', { headers })).status).toBe(200)
    now = 2000
    expect((await send()).status).toBe(200)
  })

  it('does not exist for probes', async () => {
    const test = await startServer({ rateLimit: 1, clock: () => 1000 })
    for (let i = 0; i < 3; i++) {
      for (const path of ['/healthz', '/readyz']) {
        expect((await test.send('GET', path)).status).toBe(200)
      }
    }
  })

  it('does not exist by default on loopback until a key exists', async () => {
    const many = async (scopes: readonly KeyScope[][]) => {
      const { service } = await startServer({}, scopes)
      const server = await createServer(service, { clock: () => 1000 })
      const statuses = new Set<number>()
      const request = { url: '/v1/model', headers: { host: 'localhost' } }
      for (let i = 0; i < 1010; i++) statuses.add((await server.inject(request)).statusCode)
      await server.close()
      return [...statuses]
    }
    expect(await many([])).toEqual([200])
    expect(await many([['admin']])).toEqual([401, 429])
  })

  it('of unknown routes counts too', async () => {
    const test = await startServer({ rateLimit: 3, clock: () => 1000 })
    for (let i = 0; i < 3; i++) expect((await test.send('GET', `/guess-${i}`)).status).toBe(404)
    expect((await test.send('GET', '/guess-3')).status).toBe(429)
    expect((await test.send('GET', '/v1/model')).status).toBe(429)
  })

  it('in a body is refused, with a larger limit for imports', async () => {
    const imported: number[] = []
    const test = await startServer({
      importer: { start: async ({ text }) => imported.push(text.length) },
    })
    const text = 'x'.repeat(2 << 20)
    const large = await test.send('POST', '/v1/events', { body: { user: text } })
    expect([large.status, large.json]).toMatchObject([413, { error: { code: 'too-large' } }])
    const body = { name: 'log', format: 'csv', text }
    expect((await test.send('POST', '/v1/imports', { body })).status).toBe(202)
    expect(imported).toEqual([text.length])
    expect((await test.send('GET', '/v1/imports')).text.length, 'no copy is kept').toBeLessThan(
      1000,
    )
    const huge = { ...body, text: 'x'.repeat(33 << 20) }
    expect((await test.send('POST', '/v1/imports', { body: huge })).status).toBe(413)
  })
})
