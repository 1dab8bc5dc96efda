// Checks docs/http-api.md: its tables match the source, and its examples work as printed.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from 'ren-recommender/service'
import type { Operation } from 'ren-recommender/service'
import { describe, expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'
import { statuses } from '../src/service/http/failures.ts'
import { testDemo } from './test-demo.ts'
import { testPage } from './test-page.ts'
import { closeServers, startServer } from './servers.ts'
import type { TestServer } from './servers.ts'
import { closeServices } from './services.ts'
import { temporaryFiles } from './temporary-files.ts'

closeServices()
closeServers()
const generatedFiles = temporaryFiles()

const page = readFileSync(join(checkout, 'docs', 'http-api.md'), 'utf8')
const routes: readonly Operation[] = Object.values(operations)

interface Example {
  readonly method: Operation['method']
  readonly path: string
  readonly body?: string
}

/** The requests of the document, as curl would send them. */
const examples = [...page.matchAll(/^```sh\ncurl (.*)\n```$/gm)].map(([, command]): Example => {
  const [, method] = /-X (\w+)/.exec(command!) ?? []
  const [, path] = /localhost:7700([^\s']*)/.exec(command!)!
  const [, body] = /--json '(.*)'/.exec(command!) ?? []
  return {
    method: (method as Operation['method'] | undefined) ?? (body ? 'POST' : 'GET'),
    path: path!,
    // Quotes close and open around shell variables.
    ...(body && { body: body.replaceAll(/'(\$\w+)'/g, '$1') }),
  }
})

const routeOf = ({ method, path }: Example): Operation | undefined =>
  routes.find((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}(\\?.*)?$`)
    return route.method === method && pattern.test(path)
  })

describe('docs/http-api.md', () => {
  it('lists every route with its scope', () => {
    const listed = [...page.matchAll(/^\| `(\w+ \/\S*)` +\| (\S+) +\|/gm)].map(
      ([, route, access]) => `${route} ${access!.replaceAll('_', '')}`,
    )
    expect(listed).toEqual(routes.map(({ method, path, access }) => `${method} ${path} ${access}`))
  })

  it('lists every status with its codes', () => {
    const listed = [...page.matchAll(/^\| (\d{3}) +\| (.*?) +\|$/gm)].flatMap(([, status, codes]) =>
      [...codes!.matchAll(/`([\w-]+)`/g)].map(([, code]) => `${code} ${status}`),
    )
    const expected = Object.entries(statuses).map(([code, status]) => `${code} ${status}`)
    expect(listed.toSorted()).toEqual([...expected, 'internal 500'].toSorted())
  })

  it('has an example of every route', () => {
    const shown = new Set(examples.map(routeOf))
    expect(routes.filter((route) => !shown.has(route)).map(({ path }) => path)).toEqual([])
  })

  it('has examples that work in order', async () => {
    const test = await startServer(
      {
        runner: { start: async () => ({}) },
        importer: { start: async () => ({}) },
        demo: testDemo(),
        page: testPage(generatedFiles),
      },
      [],
      {
        learning: { enabled: true },
        variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 4, loss: 'softmax' } }],
      },
    )
    await test.service.items.remove(['a', 'b', 'c', 'd', 'e', 'f'])
    const found = new Map([['asset', 'x.js']])
    // The first example creates a key; all later requests need one.
    for (const example of examples.filter(({ path }) => path !== operations.stream.path)) {
      await expectToWork(test, example, found)
    }
  })
})

async function expectToWork(
  { send }: TestServer,
  { method, path, body }: Example,
  found: Map<string, string>,
): Promise<void> {
  const filled = (text: string): string =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => found.get(name) ?? `no ${name}`)
  const key = found.get('key')
  const answer = await send(method, filled(path), {
    ...(body !== undefined && { body: filled(body) }),
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
  })
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  const { recommendationId, id, key: created } = (answer.json ?? {}) as Record<string, string>
  if (recommendationId) found.set('recommendation', recommendationId)
  if (created) found.set('key', created).set('key_id', id!)
  if (method === 'POST' && path === '/v1/runs') found.set('run', id!)
  if (method === 'POST' && path === '/v1/imports') found.set('import', id!)
}
