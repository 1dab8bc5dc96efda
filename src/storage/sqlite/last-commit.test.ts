// What is left of a store after its process was killed and its files were damaged: all acknowledged writes,
// or an error at the start.

import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { feedback, fresh, readAll, withCode } from '../../../test/contracts/event-store-cases.ts'
import { runScript } from '../../../test/run-script.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import { restoreStore } from './copy.ts'
import { openSqliteReader } from './reader.ts'
import { openSqliteStore } from './store.ts'

const { folder } = temporaryFiles()
const endings = ['', '-wal', '-commits']

/** The number of events that were in the file before the killed process began: one store had moved its write-ahead log. */
const killed = { young: 0, old: 5000 }
type Killed = keyof typeof killed
const events = 20

/** Writes to a store in another process, and kills it. */
async function writeAndKill(path: string, settled: number): Promise<void> {
  const child = runScript(`
    import { openSqliteStore } from './src/storage/index.ts'
    const path = ${JSON.stringify(path)}
    const event = (at) => ({ event: { kind: 'users-merged', user: 'ann ' + at, from: 'bob', time: at } })
    if (${settled} > 0) {
      const first = await openSqliteStore(path)
      await first.append(Array.from({ length: ${settled} }, (_, at) => event(at)))
      await first.close()
    }
    const store = await openSqliteStore(path)
    for (let at = 0; at < ${events - 1}; at++) await store.append([event(at)])
    await store.addKey({ id: 'k', name: 'k', scopes: ['admin'], hash: 'h', created: 1, revoked: null })
    await store.append([event(0)])
    await store.revokeKey('k', 2)
    console.log('written')
    setInterval(() => {}, 1000)
  `)
  await child.nextLine()
  const ended = child.rest().catch(() => {})
  child.process.kill('SIGKILL')
  await ended
}

beforeAll(async () => {
  for (const [name, settled] of Object.entries(killed)) {
    await writeAndKill(join(folder, `${name}.db`), settled)
  }
})

/** A copy of the files of a killed store. */
function copyOf(name: Killed): string {
  const path = join(folder, `${fresh()}.db`)
  for (const end of endings) copyFileSync(join(folder, `${name}.db${end}`), path + end)
  return path
}

async function contentsOf(path: string): Promise<{ head: number; read: number; keys: number }> {
  const store = await openSqliteStore(path)
  try {
    const read = (await readAll(store, 0)).length
    return { head: await store.head(), read, keys: (await store.keys()).length }
  } finally {
    await store.close()
  }
}

const whole = (name: Killed) => {
  const head = killed[name] + events
  return { head, read: head, keys: 1 }
}

const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path)
  bytes[at]! ^= 0x10
  writeFileSync(path, bytes)
}

const cut = (path: string, length: number): void =>
  writeFileSync(path, readFileSync(path).subarray(0, length))

describe.each(Object.keys(killed) as Killed[])('the files of a killed %s store', (name) => {
  it('contain all acknowledged writes', async () => {
    expect(await contentsOf(copyOf(name))).toEqual(whole(name))
  })

  it('are refused if the write-ahead log is deleted', async () => {
    const path = copyOf(name)
    rmSync(`${path}-wal`)
    await expect(openSqliteStore(path)).rejects.toThrow(withCode('store-damaged'))
    await expect(openSqliteStore(path)).rejects.toThrow(`${path}-commits`)
    await expect(openSqliteReader(path)).rejects.toThrow(withCode('store-damaged'))
    // The operator decides to continue without them.
    rmSync(`${path}-commits`)
    expect((await contentsOf(path)).head).toBe(killed[name])
  })

  it('are refused if only the last commit is damaged, and that was the revocation of a key', async () => {
    const path = copyOf(name)
    cut(`${path}-wal`, readFileSync(`${path}-wal`).length - 1)
    await expect(openSqliteStore(path)).rejects.toThrow('has lost its last 1 commits')
  })

  it('are refused if the file is emptied', async () => {
    const path = copyOf(name)
    writeFileSync(path, '')
    await expect(openSqliteStore(path)).rejects.toThrow(withCode('store-damaged'))
  })

  it('never lose a write silently, whichever byte is damaged or missing', async () => {
    const anyDamage = fc.record({
      end: fc.constantFrom('', '-wal', '-wal'),
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      damage: fc.constantFrom(flip, cut),
    })
    await fc.assert(
      fc.asyncProperty(anyDamage, async ({ end, place, damage }) => {
        const path = copyOf(name)
        damage(path + end, Math.floor(place * readFileSync(path + end).length))
        const outcome = await contentsOf(path).catch((error: unknown) => error as { code: string })
        for (const one of [...endings, '-shm']) rmSync(path + one, { force: true })
        if ('code' in outcome) expect(outcome.code).toMatch(/^store-(damaged|foreign|failed)$/)
        else expect(outcome).toEqual(whole(name))
      }),
      { numRuns: name === 'young' ? 40 : 15 },
    )
  })

  it('are complete whatever is damaged in the file of commits', async () => {
    for (const damage of [
      (path: string) => rmSync(path),
      (path: string) => cut(path, 100),
      (path: string) => writeFileSync(path, ''),
      (path: string) => writeFileSync(path, 'ruins '.repeat(2000)),
      (path: string) =>
        flip(
          path,
          readFileSync(path).findIndex((byte) => byte !== 0),
        ),
    ]) {
      const path = copyOf(name)
      damage(`${path}-commits`)
      expect(await contentsOf(path)).toEqual(whole(name))
    }
  })
})

describe('a store that is not the last state of its path', () => {
  const grown = async (): Promise<string> => {
    const path = copyOf('young')
    const store = await openSqliteStore(path)
    await store.backup(`${path}.backup`)
    await store.append([feedback('ann'), feedback('ann')])
    await store.close()
    return path
  }

  it('opens if it is a backup that was copied there', async () => {
    const path = await grown()
    copyFileSync(`${path}.backup`, path)
    expect(await contentsOf(path)).toEqual(whole('young'))
    const store = await openSqliteStore(path)
    await store.append([feedback('ann')])
    await store.close()
    copyFileSync(`${path}.backup`, path)
    // The backup is a store of its own now, and it has lost a commit.
    await expect(openSqliteStore(path)).rejects.toThrow(withCode('store-damaged'))
  })

  it('opens if it was restored', async () => {
    const path = await grown()
    await restoreStore(`${path}.backup`, path, { replace: true })
    expect(await contentsOf(path)).toEqual(whole('young'))
    const store = await openSqliteStore(path)
    await store.append([feedback('ann')])
    await store.close()
    await restoreStore(`${path}.backup`, path, { replace: true })
    expect(await contentsOf(path)).toEqual(whole('young'))
  })

  it('opens if it is a copy without the other files', async () => {
    const path = await grown()
    const other = join(folder, `${fresh()}.db`)
    copyFileSync(path, other)
    expect((await contentsOf(other)).head).toBe(events + 2)
  })

  it('opens as a new store if the file was deleted', async () => {
    const path = await grown()
    rmSync(path)
    expect((await contentsOf(path)).head).toBe(0)
    expect((await contentsOf(path)).head).toBe(0)
  })
})

describe('the last commit', () => {
  it('is the last of all writers', async () => {
    const path = join(folder, `${fresh()}.db`)
    const stores = [await openSqliteStore(path), await openSqliteStore(path)]
    for (let at = 0; at < 6; at++) await stores[at % 2]!.append([feedback('ann')])
    const [wal, commits] = [readFileSync(`${path}-wal`), readFileSync(`${path}-commits`)]
    const copy = join(folder, `${fresh()}.db`)
    copyFileSync(path, copy)
    writeFileSync(`${copy}-wal`, wal)
    writeFileSync(`${copy}-commits`, commits)
    expect((await contentsOf(copy)).head).toBe(6)
    copyFileSync(path, copy)
    writeFileSync(`${copy}-wal`, wal.subarray(0, -1))
    writeFileSync(`${copy}-commits`, commits)
    await expect(openSqliteStore(copy)).rejects.toThrow('event 5 instead of 6')
    for (const store of stores) await store.close()
  })

  it('is not counted if nothing was written', async () => {
    const path = join(folder, `${fresh()}.db`)
    const store = await openSqliteStore(path)
    await store.append([feedback('ann', { id: 'x' })])
    const before = readFileSync(`${path}-commits`)
    await store.append([feedback('ann', { id: 'x' })])
    expect(readFileSync(`${path}-commits`).equals(before)).toBe(true)
    await store.close()
  })

  it('soon moves from the write-ahead log into the file', async () => {
    const path = join(folder, `${fresh()}.db`)
    const store = await openSqliteStore(path)
    await store.append([feedback('ann')])
    expect(readFileSync(`${path}-wal`).length).toBeGreaterThan(0)
    await expect.poll(() => readFileSync(`${path}-wal`).length, { timeout: 15_000 }).toBe(0)
    const database = new DatabaseSync(new URL(`file://${path}?immutable=1`), { readOnly: true })
    expect(database.prepare('select head from log').get()).toEqual({ head: 1 })
    database.close()
    await store.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
  }, 20_000)
})
