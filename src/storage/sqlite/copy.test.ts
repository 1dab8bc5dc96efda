import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { feedback, fresh, readAll, withCode } from '../../../test/contracts/event-store-cases.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { StoredEvent } from '../log-event.ts'
import { restoreStore } from './copy.ts'
import { openSqliteReader } from './reader.ts'
import { openSqliteStore } from './store.ts'

const { folder, write } = temporaryFiles()
const newPath = (): string => join(folder, `${fresh()}.db`)

async function newStore(events: number) {
  const store = await openSqliteStore(newPath())
  await store.append(Array.from({ length: events }, (_, at) => feedback(`user ${at}`)))
  return store
}

async function makeBackup(events: number): Promise<string> {
  const [store, path] = [await newStore(events), newPath()]
  await store.backup(path)
  await store.close()
  return path
}

/** Created once per number of events, and then copied. */
const backups = new Map<number, Promise<string>>()
async function newBackup(events: number): Promise<string> {
  const [created, path] = [backups.get(events) ?? makeBackup(events), newPath()]
  backups.set(events, created)
  copyFileSync(await created, path)
  return path
}

async function logOf(path: string): Promise<readonly StoredEvent[]> {
  const reader = await openSqliteReader(path)
  try {
    return await readAll(reader, 0)
  } finally {
    await reader.close()
  }
}

describe('a backup', () => {
  it('is complete and consistent while others write', async () => {
    const [store, path] = [await newStore(8000), newPath()]
    const shares: number[] = []
    const work = { isDone: false }
    const copying = store
      .backup(path, (share) => shares.push(share))
      .finally(() => (work.isDone = true))
    while (!work.isDone) await store.append([feedback('meanwhile'), feedback('meanwhile')])
    await copying
    const log = await logOf(path)
    expect(log.length).toBeGreaterThanOrEqual(8000)
    expect(log.length % 2).toBe(0)
    expect(log).toEqual((await readAll(store, 0)).slice(0, log.length))
    expect(await store.head()).toBeGreaterThan(log.length)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
    expect(shares[0]).toBeGreaterThan(0)
    await store.close()
  })

  it('replaces an older one, but no store in use', async () => {
    const [store, other] = [await newStore(5), await newStore(3)]
    const path = await newBackup(1)
    await store.backup(path)
    expect(await logOf(path)).toHaveLength(5)
    for (const busy of [store.location, other.location]) {
      await expect(store.backup(busy)).rejects.toThrow(withCode('store-in-use'))
    }
    const nowhere = join(folder, 'nowhere', 'x.db')
    await expect(store.backup(nowhere)).rejects.toThrow(withCode('store-missing'))
    expect(await readAll(other, 0)).toHaveLength(3)
    await store.close()
    await other.close()
  })
})

describe('a restored store', () => {
  it('has all data of the backup, and can be written to', async () => {
    const [backup, path] = [await newBackup(10), newPath()]
    const before = readFileSync(backup)
    await restoreStore(backup, path)
    const store = await openSqliteStore(path)
    expect(await readAll(store, 0)).toEqual(await logOf(backup))
    expect((await store.append([feedback('ann')])).head).toBe(11)
    await store.close()
    expect(readFileSync(backup).equals(before)).toBe(true)
  })

  it('replaces a store on request, unless the store is in use', async () => {
    const [backup, store] = [await newBackup(10), await newStore(3)]
    const path = store.location
    await expect(restoreStore(backup, path)).rejects.toThrow(withCode('invalid-argument'))
    const replace = () => restoreStore(backup, path, { replace: true })
    await expect(replace()).rejects.toThrow(withCode('store-in-use'))
    await store.claim()
    await expect(replace()).rejects.toThrow(withCode('store-in-use'))
    await store.close()
    await replace()
    expect(await logOf(path)).toHaveLength(10)
  })

  it('replaces a store that is too damaged to open', async () => {
    const [backup, path] = [await newBackup(2), write('ruins '.repeat(9999))]
    writeFileSync(`${path}-wal`, 'more ruins')
    await restoreStore(backup, path, { replace: true })
    expect(await logOf(path)).toHaveLength(2)
  })

  it.each([
    ['is not there', () => newPath(), 'store-missing'],
    ['is empty', () => write(''), 'store-foreign'],
    ['is something else', () => write('text '.repeat(999)), 'store-foreign'],
  ])('is refused if the backup %s', async (_, backup, code) => {
    const path = newPath()
    await expect(restoreStore(backup(), path)).rejects.toThrow(withCode(code))
    expect(existsSync(path)).toBe(false)
  })

  it.each([
    ['an event', `update events set payload = '{}' where position = 7`],
    ['a row', 'delete from events where position = 3'],
    [
      'an index',
      `pragma writable_schema = on; update sqlite_schema set rootpage = 2
      where name = 'events_by_user'`,
    ],
    ['a version', `insert into migrations values (7, 'later')`],
  ])(
    'is refused if the backup has a damaged %s, and leaves the target unchanged',
    async (_, sql) => {
      const [backup, store] = [await newBackup(10), await newBackup(3)]
      const database = new DatabaseSync(backup)
      database.enableDefensive(false)
      database.exec(sql)
      database.close()
      const restoring = restoreStore(backup, store, { replace: true })
      await expect(restoring).rejects.toThrow(/damaged|version|malformed/)
      expect(await logOf(store)).toHaveLength(3)
      expect(readdirSync(folder).filter((file) => file.includes('.part'))).toEqual([])
    },
  )
})
