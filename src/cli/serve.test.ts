import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { circleCsv, startScript } from '../../test/run-ren.ts'
import { ask, startServing } from '../../test/serving.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { openSqliteReader, openSqliteStore } from '../storage/index.ts'
import { addImport } from './import.ts'
import { addServe } from './serve.ts'

const { folder, write } = temporaryFiles()
const at = (name: string): string => join(folder, name)
const serving = (...args: string[]) => runCommand(addServe, ['serve', '--port', '0', ...args])

describe('ren serve', () => {
  it('serves what is imported beside it, and ends in peace with all of it kept', async () => {
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
    const slate = await ask(address, '/v1/recommendations', wanted)
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

  it('says in words where it is, what it has and what to try', async () => {
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
    expect([code, stderr]).toEqual([0, 'stopping; once more kills\n'])
    expect(stdout).toMatch(/^open {5}http:\/\/127\.0\.0\.1:\d+\n/)
    expect(stdout).toMatch(/^runs {5}the service \(no demo, since --store is given; /m)
    expect(stdout).toMatch(/^store {4}.*words\.db: 0 items, 0 users, position 0$/m)
    expect(stdout).toMatch(/^try {6}curl -s http:.*\/v1\/items .*"item":"tea"/m)
    expect(stdout).toMatch(/\nstopped at position 0\n$/)
    expect(existsSync(`${store}-wal`)).toBe(false)
  }, 60_000)

  it('refuses a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const attempt = serving('--store', at('port.db'), '--port', String(port))
    await expect(attempt).rejects.toThrow(
      /cannot listen at 127\.0\.0\.1:\d+: another process .* --port takes another/,
    )
    taken.close()
  })

  it('refuses a store that another service has', async () => {
    const store = await openSqliteStore(at('taken.db'))
    await store.claim()
    await expect(serving('--store', at('taken.db'))).rejects.toMatchObject({ code: 'store-in-use' })
    await store.close()
  })

  it.each([
    ['a file of another kind', ['--store', write('a text', 'text')], /not a store/],
    ['the world without a key', ['--store', at('open.db'), '--host', '0.0.0.0'], /API key/],
    [
      'a method that there is not',
      ['--store', at('x.db'), '--method', 'x'],
      /no method is called x/,
    ],
    [
      'variants that are not there',
      ['--store', at('x.db'), '--variants', 'none'],
      /there is no file none/,
    ],
    [
      'variants that are none',
      ['--variants', write('{', 'variants')],
      /expected a JSON list of variants/,
    ],
    [
      'a variant that is none',
      ['--variants', write('[{}]', 'variant')],
      /variants\[0\]\.name must be/,
    ],
    ['more states than can be', ['--max-states', '2000'], /maxStates must be a number from 1 to/],
    ['variants and a method', ['--variants', 'a', '--method', 'b'], /cannot be used with/],
  ])('refuses %s', async (_, args, message) => {
    await expect(serving(...args)).rejects.toThrow(message)
  })

  it('splits users between the variants it is given', async () => {
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
    await ask(address, '/v1/items', { items: [{ item: 'tea' }, { item: 'coffee' }] })
    const requests = Array.from({ length: 20 }, (_, user) => ({ user: `user ${user}`, count: 1 }))
    const slates = await Promise.all(
      requests.map((request) => ask(address, '/v1/recommendations', request)),
    )
    expect(new Set(slates.map((slate) => (slate as { variant: string }).variant))).toEqual(
      new Set(['new', 'old']),
    )
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  }, 60_000)
})
