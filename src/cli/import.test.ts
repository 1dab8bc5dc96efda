import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { circleCsv, runRen, startScript } from '../../test/run-ren.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { openSqliteReader, openSqliteStore, type LogEvent } from '../storage/index.ts'
import { addImport } from './import.ts'

const { folder, write } = temporaryFiles()
const at = (name: string): string => join(folder, name)
const importing = (...args: string[]) => runCommand(addImport, ['import', ...args])

async function eventsIn(path: string): Promise<readonly LogEvent[]> {
  const reader = await openSqliteReader(path)
  const stored = (await Array.fromAsync(reader.read(0))).flat()
  await reader.close()
  return stored.map(({ event }) => event)
}

/** The position of the last event; 0 without a store. */
async function headOf(path: string): Promise<number> {
  const reader = await openSqliteReader(path).catch(() => null)
  const head = await reader?.head()
  await reader?.close()
  return head ?? 0
}

const rowsOf = (csv: string): string[] => csv.trimEnd().split('\n').slice(1).toSorted()

async function importedRows(path: string): Promise<string[]> {
  const reported = (await eventsIn(path)).filter(({ kind }) => kind === 'interaction')
  const rows = reported.map((event) => {
    const { user, item, reward, time } = event as Extract<LogEvent, { kind: 'interaction' }>
    return `${user},${item},${reward},${time}`
  })
  return rows.toSorted()
}

describe('ren import', () => {
  it('resumes after kill -9 and after Ctrl-C without lost or duplicate events', async () => {
    const csv = circleCsv({ users: 800, events: 10 })
    const store = at('killed.db')
    const args = ['import', '--store', store, '--events', write(csv, 'log.csv'), '--batch', '50']
    const cutShort = async (signal: 'SIGKILL' | 'SIGINT') => {
      const before = await headOf(store)
      const { child, ended } = startScript('src/cli/main.ts', args)
      while (child.exitCode === null && (await headOf(store)) < before + 500) await setTimeout(5)
      child.kill(signal)
      return ended
    }
    await cutShort('SIGKILL')
    const afterKill = await headOf(store)
    expect(afterKill).toBeGreaterThanOrEqual(500)
    expect(afterKill).toBeLessThan(8000)
    const { code, stdout } = await cutShort('SIGINT')
    expect(code).toBe(130)
    expect(stdout).toMatch(/stopped {2}[\d,]+ of 8,000; run the command again to resume/)
    expect(await headOf(store)).toBeLessThan(8000)
    const last = await runRen([...args, '--json'])
    const { events } = JSON.parse(last.stdout) as { events: { done: number; before: number } }
    expect(last.code).toBe(0)
    expect(events).toMatchObject({ rows: 8000, done: 8000, newItems: 0 })
    expect(events.before).toBeGreaterThan(afterKill - 100)
    expect(await importedRows(store)).toEqual(rowsOf(csv))
  }, 60_000)

  it('imports items with attributes, and only changed ones the second time', async () => {
    const items = write('item,genre,year\nitem 1,jazz,1999\nanother,rock,2001\n', 'items.csv')
    const args = ['--store', at('new/items.db'), '--catalog', items, '--json']
    const first = await importing(...args, '--events', write(circleCsv(), 'circle.csv'))
    expect(JSON.parse(first.out)).toMatchObject({
      items: { rows: 2, added: 2, changed: 0, skipped: 0 },
      events: { rows: 480, done: 480, newItems: 11, users: 60, position: 482 },
      interrupted: false,
    })
    const again = await importing(...args)
    expect(JSON.parse(again.out)).toMatchObject({ items: { added: 0, changed: 0 }, events: null })
    const store = await openSqliteStore(at('new/items.db'))
    expect(await store.items({ limit: 1 })).toMatchObject([
      { item: 'another', attributes: { genre: 'rock', year: 2001 } },
    ])
    expect(await store.head()).toBe(482)
    await store.close()
  })

  it('prints a text report', async () => {
    const lines =
      '{"user":"a","item":"x","time":2,"reward":4}\nno\n{"user":"b","item":"y","time":1}\n'
    const args = ['--store', at('words.db'), '--events', write(lines, 'log.jsonl')]
    const { out } = await importing(...args, '--skip-bad-rows', '--reward', '0.5')
    expect(out).toMatch(/^events {3}2 events of 2 users, 2 new items, 1 bad row skipped$/m)
    expect(await importedRows(at('words.db'))).toEqual(['a,x,0.5,2', 'b,y,0.5,1'])
    const again = await importing(...args, '--skip-bad-rows', '--reward', '0.5')
    expect(again.out).toContain('0 events of 2 users, 2 already imported')
  })

  it.each([
    ['seconds', 1_700_000_000, [], '1970-01-20'],
    ['seconds with --time-unit', 1_700_000_000, ['--time-unit', 'seconds'], null],
    ['milliseconds', 1_700_000_000_000, [], null],
    ['numbers that are no dates', 1000, [], null],
  ])('suggests --time-unit only for times in seconds: %s', async (_, time, more, day) => {
    const events = write(`user,item,time\na,x,${time}\n`, `${time}.csv`)
    const { err } = await importing('--store', at('units.db'), '--events', events, ...more)
    const hint = `warning: the newest time is ${day}; if the times are in seconds, use --time-unit`
    expect(err.includes('warning')).toBe(day !== null)
    if (day !== null) expect(err).toContain(hint)
  })

  it.each([
    ['nothing to import', [], /--events, --catalog or both are required/],
    ['a missing file', ['--events', 'none.csv'], /there is no file none\.csv/],
    [
      'a catalog of an unknown format',
      ['--catalog', write('PK', 'a.xls')],
      /a\.xls, line 1.*item, got/,
    ],
    ['a missing catalog', ['--catalog', 'none.dat'], /there is no file none\.dat/],
    [
      'a catalog in another format than --catalog-format',
      ['--catalog', write('1::One (1999)::Drama\n', 'a.dat'), '--catalog-format', 'jsonl'],
      /a\.dat, line 1 must be a JSON object/,
    ],
  ])('refuses %s and creates no store', async (_, args, message) => {
    await expect(importing('--store', at('none.db'), ...args)).rejects.toThrow(message)
    expect(await headOf(at('none.db'))).toBe(0)
  })

  it('refuses a file that is not a store and leaves it unchanged', async () => {
    const events = write(circleCsv(), 'c.csv')
    await expect(importing('--store', events, '--events', events)).rejects.toThrow(/not a store/)
    expect(readFileSync(events, 'utf8')).toBe(circleCsv())
  })
})
