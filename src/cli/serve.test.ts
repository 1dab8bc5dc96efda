import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { circleCsv, startScript } from '../../test/run-ren.ts'
import { send, startServing } from '../../test/serving.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { openSqliteReader, openSqliteStore } from '../storage/index.ts'
import { addImport } from './import.ts'
import { addServe } from './serve.ts'

const { folder, write } = temporaryFiles()
const at = (name: string): string => join(folder, name)
const serving = (...args: string[]) => runCommand(addServe, ['serve', '--port', '0', ...args])

describe('ren serve', () => {
  it('serves data that another process imports, and stops without losing any', async () => {
    const store = at('served.db')
    const { child, ended, address, position } = await startServing(['--store', store, '--log'])
    expect(position).toBe(0)
    await runCommand(addImport, [
      'import',
      '--store',
      store,
      '--events',
      write(circleCsv(), 'c.csv'),
    ])
    const wanted = { user: 'user 1', count: 3, afterPosition: 481 }
    const slate = await send(address, '/v1/recommendations', wanted)
    expect(slate).toMatchObject({ complete: true, variant: 'ren', position: 481 })
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    expect(code).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { kind: 'started', address, items: 0, users: 0, models: [{ group: 'ren' }] },
      { kind: 'stopped', position: 482 },
    ])
    expect(stderr).toContain('"kind":"request","method":"POST","route":"/v1/recommendations"')
    const reader = await openSqliteReader(store)
    expect(await reader.head()).toBe(482)
    await reader.close()
  }, 60_000)

  it('prints its address, its contents and an example', async () => {
    const store = at('words.db')
    const { child, ended } = startScript('src/cli/main.ts', [
      'serve',
      '--port',
      '0',
      '--store',
      store,
    ])
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    expect([code, stderr]).toEqual([0, 'stopping; a second Ctrl-C kills the process\n'])
    expect(stdout).toMatch(/^open {5}http:\/\/127\.0\.0\.1:\d+\n/)
    expect(stdout).toMatch(/^runs {5}the service \(because of --store; /m)
    expect(stdout).toMatch(/^store {4}.*words\.db: 0 items, 0 users, position 0$/m)
    expect(stdout).toMatch(/^try {6}curl -s http:.*\/v1\/items .*"item":"tea"/m)
    expect(stdout).toMatch(/\nstopped at position 0\n$/)
    expect(existsSync(`${store}-wal`)).toBe(false)
  }, 60_000)

  it('refuses a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const attempt = serving('--store', at('port.db'), '--port', String(port))
    await expect(attempt).rejects.toThrow(
      /cannot listen on 127\.0\.0\.1:\d+: another process .* with --port/,
    )
    taken.close()
  })

  it('refuses a store in use', async () => {
    const store = await openSqliteStore(at('taken.db'))
    await store.claim()
    await expect(serving('--store', at('taken.db'))).rejects.toMatchObject({ code: 'store-in-use' })
    await store.close()
  })

  it.each([
    ['a file that is not a store', ['--store', write('a text', 'text')], /not a store/],
    ['a public host without a key', ['--store', at('open.db'), '--host', '0.0.0.0'], /API key/],
    ['an unknown method', ['--store', at('x.db'), '--method', 'x'], /no method is called x/],
    [
      'a missing file of variants',
      ['--store', at('x.db'), '--variants', 'none'],
      /there is no file none/,
    ],
    [
      'a malformed file of variants',
      ['--variants', write('{', 'variants')],
      /must be a JSON list of variants/,
    ],
    [
      'a malformed variant',
      ['--variants', write('[{}]', 'variant')],
      /variants\[0\]\.name must be/,
    ],
    ['too many snapshots', ['--max-states', '2000'], /Expected an integer from 1 to 1000/],
    ['variants and a method', ['--variants', 'a', '--method', 'b'], /cannot be used with/],
  ])('refuses %s', async (_, args, message) => {
    await expect(serving(...args)).rejects.toThrow(message)
  })

  it('splits users between variants', async () => {
    const variants = write(
      JSON.stringify([
        { name: 'new', method: 'ren-g', share: 1 },
        { name: 'old', method: 'gru4rec', share: 1 },
      ]),
      'two-variants',
    )
    const { child, ended, address } = await startServing([
      '--store',
      at('variants.db'),
      '--variants',
      variants,
    ])
    await send(address, '/v1/items', { items: [{ item: 'tea' }, { item: 'coffee' }] })
    const requests = Array.from({ length: 20 }, (_, user) => ({ user: `user ${user}`, count: 1 }))
    const slates = await Promise.all(
      requests.map((request) => send(address, '/v1/recommendations', request)),
    )
    expect(new Set(slates.map((slate) => (slate as { variant: string }).variant))).toEqual(
      new Set(['new', 'old']),
    )
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  }, 60_000)
})
