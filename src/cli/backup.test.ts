import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { openSqliteStore, type EventStore } from '../storage/index.ts'
import { addBackup, addRestore } from './backup.ts'

const { folder, write } = temporaryFiles()
const at = (name: string): string => join(folder, name)
const backup = (...args: string[]) => runCommand(addBackup, ['backup', ...args])
const restore = (...args: string[]) => runCommand(addRestore, ['restore', ...args])

const appendTo = (store: EventStore, count: number) =>
  store.append(
    Array.from({ length: count }, (_, time) => ({
      event: { kind: 'interaction', user: 'ann', item: 'tea', reward: 1, time } as const,
    })),
  )

async function headOf(path: string): Promise<number> {
  const store = await openSqliteStore(path)
  return store.head().finally(() => store.close())
}

describe('ren backup and ren restore', () => {
  let store: EventStore
  // It stays open, as a running service would have it.
  beforeAll(async () => {
    store = await openSqliteStore(at('live.db'))
    await store.claim()
    await appendTo(store, 300)
    return () => store.close()
  })

  it('back up a store that is in use, and restore the copy', async () => {
    const { out } = await backup('--store', at('live.db'), '--out', at('copy.db'), '--json')
    expect(JSON.parse(out)).toMatchObject({ to: at('copy.db'), events: 300 })
    await appendTo(store, 50)
    const said = await restore('--from', at('copy.db'), '--store', at('deep/er/new.db'))
    expect(said.out).toMatch(/copied .*copy\.db to .*new\.db: 300 events, 0 MB in/)
    expect(await headOf(at('deep/er/new.db'))).toBe(300)
  })

  it('overwrite nothing without --force', async () => {
    const taken = write('mine', 'taken')
    const refused = /taken already exists; use --force to overwrite it/
    await expect(backup('--store', at('live.db'), '--out', taken)).rejects.toThrow(refused)
    await backup('--store', at('live.db'), '--out', at('other.db'))
    await expect(restore('--from', at('other.db'), '--store', taken)).rejects.toThrow(refused)
    await backup('--store', at('live.db'), '--out', taken, '--force')
    expect(await headOf(taken)).toBe(350)
  })

  it('do not overwrite a store that is in use', async () => {
    await backup('--store', at('live.db'), '--out', at('third.db'))
    const attempt = restore('--from', at('third.db'), '--store', at('live.db'), '--force')
    await expect(attempt).rejects.toMatchObject({ code: 'store-in-use' })
    expect(await store.head()).toBe(350)
  })

  it('overwrite a damaged store completely', async () => {
    await backup('--store', at('live.db'), '--out', at('good.db'))
    writeFileSync(at('bad.db'), 'no store at all, whatever it was')
    writeFileSync(at('bad.db-wal'), 'and its log')
    await restore('--from', at('good.db'), '--store', at('bad.db'), '--force')
    expect(await headOf(at('bad.db'))).toBe(350)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it.each([
    ['that does not exist', 'none.db', /there is no store at .*none\.db/],
    ['that is not a store', 'text', /not a store/],
  ])('refuse a backup %s', async (_, name, message) => {
    write('a text', 'text')
    await expect(restore('--from', at(name), '--store', at('never.db'))).rejects.toThrow(message)
    expect(existsSync(at('never.db'))).toBe(false)
  })
})
