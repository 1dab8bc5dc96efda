import { linkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { feedback, withCode } from '../../../test/contracts/event-store-cases.ts'
import { runScript } from '../../../test/run-script.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import { openSqliteStore } from './store.ts'

const { folder } = temporaryFiles()

it('lets one service claim a store, and the next one after it is closed', async () => {
  const path = join(folder, 'one.db')
  const [first, second] = [await openSqliteStore(path), await openSqliteStore(path)]
  await first.claim()
  await first.claim()
  await expect(second.claim()).rejects.toThrow(withCode('store-in-use'))
  await expect(second.claim()).rejects.toThrow(path)
  // Other processes may write meanwhile, such as an import.
  expect((await second.append([feedback('ann')])).head).toBe(1)
  await first.close()
  await second.claim()
  await second.close()
})

it('holds for every name of the file', async () => {
  const path = join(folder, 'named.db')
  const store = await openSqliteStore(path)
  await store.claim()
  symlinkSync('named.db', join(folder, 'symbolic.db'))
  const other = await openSqliteStore(join(folder, 'symbolic.db'))
  await expect(other.claim()).rejects.toThrow(withCode('store-in-use'))
  await other.close()
  linkSync(path, join(folder, 'hard.db'))
  const hard = openSqliteStore(join(folder, 'hard.db'))
  await expect(hard).rejects.toThrow(withCode('store-in-use'))
  await expect(hard).rejects.toThrow('has 2 names')
  await store.close()
})

it('may be behind a symbolic link to a file that does not exist yet', async () => {
  symlinkSync('new.db', join(folder, 'to-new.db'))
  const [linked, plain] = [join(folder, 'to-new.db'), join(folder, 'new.db')]
  const store = await openSqliteStore(linked)
  await store.claim()
  const other = await openSqliteStore(plain)
  await expect(other.claim()).rejects.toThrow(withCode('store-in-use'))
  await other.close()
  await store.close()
})

it('ends with the process, even if it is killed', async () => {
  const path = join(folder, 'two.db')
  const other = runScript(`
    import { openSqliteStore } from './src/storage/index.ts'
    const store = await openSqliteStore(${JSON.stringify(path)})
    await store.claim()
    const requested = { kind: 'state', scope: 's', position: 0, time: 0, about: {} }
    async function* parts() {
      yield new Uint8Array(3_000_000)
      console.log('claimed')
      setInterval(() => {}, 1000)
      await new Promise(() => {})
    }
    await store.writeSnapshot(requested, parts())
  `)
  expect(await other.nextLine()).toBe('claimed')
  const store = await openSqliteStore(path)
  await expect(store.claim()).rejects.toThrow(withCode('store-in-use'))
  const ended = other.rest()
  other.process.kill('SIGKILL')
  await expect(ended).rejects.toThrow('ended with null')
  await store.claim()
  // The unfinished snapshot of the other process is removed.
  expect(await store.snapshots('state', 's')).toEqual([])
  await store.close()
  const database = new DatabaseSync(path)
  for (const table of ['snapshots', 'snapshot_pieces']) {
    expect(database.prepare(`select * from ${table}`).all()).toEqual([])
  }
  database.close()
})
