// Access to every route, generated from the table of operations, so that no route can be forgotten.

import { describe, expect, it } from 'vitest'

import { testPage } from '../../../test/test-page.ts'
import { closeServers, startServer, type Answer, type TestServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { KeyScope } from '../../storage/index.ts'
import { operations, type Operation } from './operations.ts'

closeServices()
closeServers()
const page = testPage(temporaryFiles())

const scopes: readonly KeyScope[] = ['recommend', 'events', 'admin']
// The stream does not end by itself; stream.test.ts tests it.
const routes: readonly Operation[] = Object.values(operations).filter(
  ({ path }) => path !== operations.stream.path,
)

const codeOf = ({ json }: Answer): unknown =>
  (json as { readonly error?: { readonly code: string } } | null)?.error?.code

const refusals: readonly unknown[] = ['key-required', 'key-refused', 'scope-missing']

function sendTo(test: TestServer, { method, path }: Operation, headers: Record<string, string>) {
  const body = method === 'POST' || method === 'PUT' ? { body: {} } : {}
  const url = path.replace(':file', 'x.js').replaceAll(/:\w+/g, 'nothing')
  return test.send(method, url, { ...body, headers })
}

describe('a server without keys', () => {
  it('requires no key on any route', async () => {
    const test = await startServer()
    for (const route of routes) {
      const answer = await sendTo(test, route, {})
      expect(refusals, route.path).not.toContain(codeOf(answer))
    }
  })

  it('requires a key if it listens on another address than loopback', async () => {
    const test = await startServer({}, [['admin']])
    await test.server.listen({ host: '0.0.0.0', port: 0 })
    const { id } = (await test.service.store.keys())[0]!
    expect((await test.send('GET', '/v1/model')).status).toBe(401)
    const headers = { authorization: `Bearer ${test.keys[0]}` }
    expect((await test.send('DELETE', `/v1/keys/${id}`, { headers })).status).toBe(200)
    expect((await test.send('GET', '/v1/model')).status).toBe(401)
  })
})

describe('a server with keys', () => {
  it.each(scopes)(
    'accepts a key with the scope %s only on the routes of the table',
    async (scope) => {
      const test = await startServer({}, [[scope]])
      const authorization = `Bearer ${test.keys[0]}`
      for (const route of routes) {
        const isFine = [route.access, 'admin'].includes(scope) || route.access === 'open'
        const answer = await sendTo(test, route, { authorization })
        if (isFine) expect(refusals, route.path).not.toContain(codeOf(answer))
        else {
          expect(answer.status, route.path).toBe(403)
          expect(codeOf(answer), route.path).toBe('scope-missing')
        }
      }
    },
  )

  it('requires a key on every route that is not open, and says how to send it', async () => {
    const test = await startServer({ page }, [['admin']])
    for (const route of routes) {
      const none = await sendTo(test, route, {})
      const wrong = await sendTo(test, route, { authorization: 'Bearer ren_no_key' })
      if (route.access === 'open') {
        for (const { status } of [none, wrong]) expect(status, route.path).toBe(200)
        continue
      }
      expect([none.status, codeOf(none)], route.path).toEqual([401, 'key-required'])
      expect([wrong.status, codeOf(wrong)], route.path).toEqual([401, 'key-refused'])
      expect(none.headers['www-authenticate']).toBe('Bearer')
    }
  })

  it('creates the first key only with the scope admin, shows it once and lists it without its secret', async () => {
    const test = await startServer()
    const make = (scope: KeyScope, headers = {}) =>
      test.send('POST', '/v1/keys', { body: { name: 'shop', scopes: [scope] }, headers })
    expect((await make('events')).status).toBe(400)
    const created = await make('admin')
    expect(created.status).toBe(201)
    const { key, id } = created.json as { readonly key: string; readonly id: string }
    const headers = { authorization: `Bearer ${key}` }
    expect((await make('events', headers)).status).toBe(201)
    const list = await test.send('GET', '/v1/keys', { headers })
    // Keys of the same millisecond are in the order of their random ids.
    const both = [
      expect.objectContaining({ id, name: 'shop' }),
      expect.objectContaining({ scopes: ['events'] }),
    ]
    expect(list.json).toHaveProperty('keys.length', 2)
    expect(list.json).toEqual({ keys: expect.arrayContaining(both) })
    expect(list.text).not.toMatch(/hash|ren_/)
    expect((await test.send('DELETE', `/v1/keys/${id}`, { headers })).json).toEqual({ id })
    expect((await test.send('GET', '/v1/keys', { headers })).status).toBe(401)
    expect((await make('admin')).status, 'it stays locked').toBe(401)
  })
})
