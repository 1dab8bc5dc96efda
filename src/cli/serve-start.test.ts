import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { circleCsv, startScript } from '../../test/run-ren.ts'
import { ask, startServing, stopServing } from '../../test/serving.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import type { Demo } from '../service/index.ts'
import { openSqliteReader, openSqliteStore } from '../storage/index.ts'
import { addServe } from './serve.ts'

const { folder, write } = temporaryFiles()
const newFolder = (): string => mkdtempSync(join(folder, 'home-'))
const serving = (...args: string[]) => runCommand(addServe, ['serve', '--port', '0', ...args])

describe('ren serve at a port that cannot be had', () => {
  it('says so before anything is made or brought in', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const home = newFolder()
    const args = ['serve', '--port', String(port), '--events', write(circleCsv(), 'port.csv')]
    const { code, stderr } = await startScript('src/cli/main.ts', args, { cwd: home }).ended
    taken.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(/another process listens there; --port takes another \(invalid-argument/)
    expect(readdirSync(home)).toEqual([])
  })

  it('refuses one that there is not', async () => {
    const { code, stderr } = await startScript('src/cli/main.ts', ['serve', '--port', '80000'])
      .ended
    expect(code).toBe(1)
    expect(stderr).toContain('Expected a whole number from 0 to 65535.')
  })
})

describe('ren serve alone', () => {
  it('shows a demo in a store of its own, and ends in peace in the middle of it', async () => {
    const home = newFolder()
    const first = await startServing([], { cwd: home })
    expect(first).toMatchObject({ store: './data/demo.db', demo: true, items: 28 })
    expect(first.why).toContain('--no-demo serves ./data/ren.db')
    let shown: Demo
    do shown = await ask<Demo>(first.address, '/v1/demo')
    while (shown.variants[0]!.at.length === 0 && (await delay(50, true)))
    expect(shown).toMatchObject({ state: 'running', rounds: 2000 })
    expect(shown.variants.map(({ variant }) => variant).toSorted()).toEqual(
      [1, 2, 3].flatMap((seed) => [`REN ${seed}`, `greedy ${seed}`]).toSorted(),
    )
    const { code, stdout, stderr } = await stopServing(first)
    expect([code, stderr]).toEqual([0, '{"kind":"stopping"}\n'])
    expect(stdout).toMatch(/\{"kind":"stopped","position":\d+\}\n$/)

    // Made afresh: nothing is left of the first.
    const second = await startServing([], { cwd: home })
    expect(second).toMatchObject({ demo: true, items: 28, position: 1 })
    const third = startScript('src/cli/main.ts', ['serve', '--port', '0'], { cwd: home })
    expect((await third.ended).stderr).toMatch(/another service has .*demo\.db.*; --store takes /)
    expect((await stopServing(second)).code).toBe(0)
    expect(readdirSync(join(home, 'data'))).not.toContain('ren.db')
  }, 60_000)

  it('serves what is there without a demo, and says why', async () => {
    const home = newFolder()
    const first = await startServing(['--no-demo'], { cwd: home })
    expect(first).toMatchObject({ store: './data/ren.db', demo: false, items: 0 })
    await ask(first.address, '/v1/items', { items: [{ item: 'tea' }] })
    await stopServing(first)
    const second = await startServing([], { cwd: home })
    expect(second).toMatchObject({ store: './data/ren.db', demo: false, items: 1 })
    expect(second.why).toContain('this store has something in it; ren serve --demo')
    const answer = await fetch(`${second.address}/v1/demo`)
    expect(answer.status).not.toBe(200)
    await stopServing(second)
  }, 60_000)
})

describe("ren serve with one's own data", () => {
  it('brings it in once, serves it and learns from it', async () => {
    const store = join(newFolder(), 'own.db')
    const items = Array.from({ length: 13 }, (_, i) => `item ${i},${i % 2 ? 'odd' : 'even'}\n`)
    const catalog = write(`item,kind\n${items.join('')}`, 'items.csv')
    const events = write(circleCsv(), 'log.csv')
    const args = ['--store', store, '--catalog', catalog, '--events', events]
    const first = await startServing([...args, '--learn-seconds', '0.1'])
    expect(first).toMatchObject({ demo: false, items: 13, users: 60, position: 481 })
    const isNew = async (): Promise<boolean> => {
      const { versions } = await ask<{ versions: { version: number }[] }>(
        first.address,
        '/v1/model',
      )
      return versions[0]!.version === 0
    }
    while (await isNew()) await delay(50)
    const { entries } = await ask<{ entries: object[] }>(first.address, '/v1/items?limit=1')
    expect(entries).toMatchObject([{ item: 'item 0', attributes: { kind: 'even' } }])
    const { stderr } = await stopServing(first)
    expect(stderr).toContain('"kind":"imported"')

    const second = await startServing(args)
    expect(second).toMatchObject({ items: 13, users: 60, position: 481 })
    expect((await stopServing(second)).stderr).toContain('"done":480,"before":480')
  }, 60_000)

  it.each([
    ['a catalog that is not there', ['--catalog', 'none.csv'], /there is no file none\.csv/],
    ['a log that is not there', ['--events', 'none.csv'], /there is no file none\.csv/],
    [
      'a catalog without a column of items',
      ['--catalog', write('name\ntea\n', 'nameless.csv')],
      /nameless\.csv, line 1: .*among them item, got/,
    ],
    [
      'a line of a catalog that is no JSON',
      ['--catalog', write('{"item": "tea"}\n{"item"\n', 'broken.jsonl')],
      /broken\.jsonl, line 2: expected a JSON object/,
    ],
    [
      'a row of a log without a time',
      ['--events', write('user,item,time\nann,tea,1\nann,tea,soon\n', 'timeless.csv')],
      /timeless\.csv, line 3, .*"soon"/,
    ],
  ])('refuses %s, before a store is made', async (_, args, message) => {
    const home = newFolder()
    await expect(serving('--store', join(home, 'x', 'own.db'), ...args)).rejects.toThrow(message)
    expect(readdirSync(home)).toEqual([])
  })
})

describe('ren serve with a store that it cannot use', () => {
  it('says of a folder, of a foreign file and of a newer version what to do', async () => {
    const home = newFolder()
    await expect(serving('--store', home)).rejects.toThrow(/is a folder.*--store takes another/)
    const foreign = new DatabaseSync(join(home, 'foreign.db'))
    foreign.exec('create table tea (name text)')
    foreign.close()
    await expect(serving('--store', join(home, 'foreign.db'))).rejects.toThrow(
      /foreign\.db is a database, but not a store of this package; --store takes another file/,
    )
    const newer = join(home, 'newer.db')
    await (await openSqliteStore(newer)).close()
    const database = new DatabaseSync(newer)
    database.exec(`insert into migrations values (99, 'the future')`)
    database.close()
    await expect(serving('--store', newer)).rejects.toThrow(
      /newer\.db is a store of version 99.*--store takes another file/,
    )
  })

  it('leaves a file in the place of the demo alone that is no store', async () => {
    const home = newFolder()
    mkdirSync(join(home, 'data'))
    const path = join(home, 'data', 'demo.db')
    write('my recipes', path.slice(folder.length + 1))
    const { ended } = startScript('src/cli/main.ts', ['serve', '--port', '0'], { cwd: home })
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/demo\.db.*not a store.*; --store takes another/),
    ])
    await expect(openSqliteReader(path)).rejects.toMatchObject({ code: 'store-foreign' })
  }, 30_000)

  it('says so where nothing may be written', async () => {
    const home = newFolder()
    chmodSync(folder, 0o755)
    chmodSync(home, 0o555)
    // The superuser may write anywhere: somebody else tries.
    const somebody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const options = { cwd: home, ...somebody }
    const { ended } = startScript('src/cli/main.ts', ['serve', '--port', '0'], options)
    const { code, stderr } = await ended
    chmodSync(home, 0o755)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^ren: cannot write .*permission denied; --store takes another/),
    ])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  }, 30_000)
})
