import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { circleCsv, startScript } from '../../test/run-ren.ts'
import { send, startServing, stopServing } from '../../test/serving.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import type { Demo } from '../service/index.ts'
import { openSqliteReader, openSqliteStore } from '../storage/index.ts'
import { addServe } from './serve.ts'

const { folder, write } = temporaryFiles()
const newFolder = (): string => mkdtempSync(join(folder, 'home-'))
const serving = (...args: string[]) => runCommand(addServe, ['serve', '--port', '0', ...args])

describe('ren serve with an unavailable port', () => {
  it('fails before it creates or imports anything', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const home = newFolder()
    const args = ['serve', '--port', String(port), '--events', write(circleCsv(), 'port.csv')]
    const { code, stderr } = await startScript('src/cli/main.ts', args, { cwd: home }).ended
    taken.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /another process uses this port; choose another with --port \(invalid-argument/,
    )
    expect(readdirSync(home)).toEqual([])
  })

  it('refuses a setting out of its range, and names it once', async () => {
    const args = ['serve', '--port', '0', '--no-demo', '--set', 'explorationWeight=3']
    const { code, stderr } = await startScript('src/cli/main.ts', args, { cwd: newFolder() }).ended
    expect([code, stderr]).toEqual([
      1,
      'ren: ren.explorationWeight must be a number from 0 to 1, got 3 (invalid-argument)\n',
    ])
  })

  it('refuses an invalid port', async () => {
    const { code, stderr } = await startScript('src/cli/main.ts', ['serve', '--port', '80000'])
      .ended
    expect(code).toBe(1)
    expect(stderr).toContain('Expected an integer from 0 to 65535.')
  })
})

describe('ren serve without options', () => {
  it('runs a demo in its own store and stops it cleanly', async () => {
    const home = newFolder()
    const first = await startServing([], { cwd: home })
    expect(first).toMatchObject({ store: './data/demo.db', demo: true, items: 28 })
    expect(first.why).toContain('--no-demo serves ./data/ren.db')
    let shown: Demo
    do shown = await send<Demo>(first.address, '/v1/demo')
    while (shown.variants[0]!.at.length === 0 && (await delay(50, true)))
    expect(shown).toMatchObject({ state: 'running', rounds: 2000 })
    expect(shown.variants.map(({ variant }) => variant).toSorted()).toEqual(
      [1, 2, 3].flatMap((seed) => [`REN ${seed}`, `greedy ${seed}`]).toSorted(),
    )
    const { code, stdout, stderr } = await stopServing(first)
    expect([code, stderr]).toEqual([0, '{"kind":"stopping"}\n'])
    expect(stdout).toMatch(/\{"kind":"stopped","position":\d+\}\n$/)

    // Created again, without any data of the first.
    const second = await startServing([], { cwd: home })
    expect(second).toMatchObject({ demo: true, items: 28, position: 1 })
    const third = startScript('src/cli/main.ts', ['serve', '--port', '0'], { cwd: home })
    expect((await third.ended).stderr).toMatch(
      /another service uses .*demo\.db.*; choose another file with --store/,
    )
    expect((await stopServing(second)).code).toBe(0)
    expect(readdirSync(join(home, 'data'))).not.toContain('ren.db')
  }, 60_000)

  it('serves an existing store without a demo and says why', async () => {
    const home = newFolder()
    const first = await startServing(['--no-demo'], { cwd: home })
    expect(first).toMatchObject({ store: './data/ren.db', demo: false, items: 0 })
    await send(first.address, '/v1/items', { items: [{ item: 'tea' }] })
    await stopServing(first)
    const second = await startServing([], { cwd: home })
    expect(second).toMatchObject({ store: './data/ren.db', demo: false, items: 1 })
    expect(second.why).toContain('because this store is not empty; --demo')
    const answer = await fetch(`${second.address}/v1/demo`)
    expect(answer.status).not.toBe(200)
    await stopServing(second)
  }, 60_000)
})

describe('ren serve with your own data', () => {
  it('imports it once, serves it and trains on it', async () => {
    const store = join(newFolder(), 'own.db')
    const items = Array.from({ length: 13 }, (_, i) => `item ${i},${i % 2 ? 'odd' : 'even'}\n`)
    const catalog = write(`item,kind\n${items.join('')}`, 'items.csv')
    const events = write(circleCsv(), 'log.csv')
    const args = ['--store', store, '--catalog', catalog, '--events', events]
    const first = await startServing([...args, '--learn-seconds', '0.1'])
    expect(first).toMatchObject({ demo: false, items: 13, users: 60, position: 481 })
    const isNew = async (): Promise<boolean> => {
      const { versions } = await send<{ versions: { version: number }[] }>(
        first.address,
        '/v1/model',
      )
      return versions[0]!.version === 0
    }
    while (await isNew()) await delay(50)
    const { entries } = await send<{ entries: object[] }>(first.address, '/v1/items?limit=1')
    expect(entries).toMatchObject([{ item: 'item 0', attributes: { kind: 'even' } }])
    const { stderr } = await stopServing(first)
    expect(stderr).toContain('"kind":"imported"')

    const second = await startServing(args)
    expect(second).toMatchObject({ items: 13, users: 60, position: 481 })
    expect((await stopServing(second)).stderr).toContain('"done":480,"before":480')
  }, 60_000)

  it.each([
    ['a missing catalog', ['--catalog', 'none.csv'], /there is no file none\.csv/],
    ['a missing log', ['--events', 'none.csv'], /there is no file none\.csv/],
    [
      'a catalog without a column of items',
      ['--catalog', write('name\ntea\n', 'nameless.csv')],
      /nameless\.csv, line 1 must be .*that include item, got/,
    ],
    [
      'a line of a catalog that is not JSON',
      ['--catalog', write('{"item": "tea"}\n{"item"\n', 'broken.jsonl')],
      /broken\.jsonl, line 2 must be a JSON object/,
    ],
    [
      'a row of a log without a time',
      ['--events', write('user,item,time\nann,tea,1\nann,tea,soon\n', 'timeless.csv')],
      /timeless\.csv, line 3, .*"soon"/,
    ],
  ])('refuses %s before it creates a store', async (_, args, message) => {
    const home = newFolder()
    await expect(serving('--store', join(home, 'x', 'own.db'), ...args)).rejects.toThrow(message)
    expect(readdirSync(home)).toEqual([])
  })
})

describe('ren serve with an unusable store', () => {
  it('says what to do about a folder, a foreign file and a newer version', async () => {
    const home = newFolder()
    await expect(serving('--store', home)).rejects.toThrow(
      /is a folder.*choose another file with --store/,
    )
    const foreign = new DatabaseSync(join(home, 'foreign.db'))
    foreign.exec('create table tea (name text)')
    foreign.close()
    await expect(serving('--store', join(home, 'foreign.db'))).rejects.toThrow(
      /foreign\.db is a database, but not a store of this package; choose another file with --store/,
    )
    const newer = join(home, 'newer.db')
    await (await openSqliteStore(newer)).close()
    const database = new DatabaseSync(newer)
    database.exec(`insert into migrations values (99, 'the future')`)
    database.close()
    await expect(serving('--store', newer)).rejects.toThrow(
      /newer\.db is a store of version 99.*choose another file with --store/,
    )
  })

  it('does not touch a file in place of the demo store that is not a store', async () => {
    const home = newFolder()
    mkdirSync(join(home, 'data'))
    const path = join(home, 'data', 'demo.db')
    write('my recipes', path.slice(folder.length + 1))
    const { ended } = startScript('src/cli/main.ts', ['serve', '--port', '0'], { cwd: home })
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/demo\.db.*not a store.*; choose another file with --store/),
    ])
    await expect(openSqliteReader(path)).rejects.toMatchObject({ code: 'store-foreign' })
  }, 30_000)

  it('reports a folder without write permission', async () => {
    const home = newFolder()
    chmodSync(folder, 0o755)
    chmodSync(home, 0o555)
    // The superuser can write anywhere, so another user runs it.
    const otherUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const options = { cwd: home, ...otherUser }
    const { ended } = startScript('src/cli/main.ts', ['serve', '--port', '0'], options)
    const { code, stderr } = await ended
    chmodSync(home, 0o755)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^ren: cannot write .*permission denied; choose another file with --store/,
      ),
    ])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  }, 30_000)
})
