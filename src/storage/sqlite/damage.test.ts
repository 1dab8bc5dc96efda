import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { feedback, fresh, readAll, withCode } from '../../../test/contracts/event-store-cases.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { EventStore } from '../event-store.ts'
import { openSqliteReader } from './reader.ts'
import { openSqliteStore } from './store.ts'

const { folder } = temporaryFiles()

const soundPath = join(folder, 'sound.db')
beforeAll(async () => {
  const store = await openSqliteStore(soundPath)
  await store.append(Array.from({ length: 10 }, (_, at) => feedback(`user ${at}`, { id: `${at}` })))
  const requested = { kind: 'state', scope: 's', position: 10, time: 0, about: {} } as const
  const items = ['tea', 'cocoa'].map((item) => ({ item, attributes: { hot: true } }))
  await store.append([{ event: { kind: 'items-put', items, time: 0 } }])
  await store.writeSnapshot(requested, [new Uint8Array(1_500_000).fill(7), Uint8Array.of(1)])
  await store.close()
})

/** A store with ten events, two items and a snapshot that SQL statements have damaged. */
function damagedStore(...statements: readonly string[]): string {
  const path = join(folder, `${fresh()}.db`)
  copyFileSync(soundPath, path)
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
  return path
}

async function withReader<T>(path: string, body: (reader: Pick<EventStore, 'read'>) => Promise<T>) {
  const reader = await openSqliteReader(path)
  try {
    return await body(reader)
  } finally {
    await reader.close()
  }
}

const readGood = (path: string) =>
  withReader(path, async (reader) => {
    const damaged: number[] = []
    const onDamaged = (position: number): void => void damaged.push(position)
    const events = (await Array.fromAsync(reader.read(0, { onDamaged }))).flat()
    return { damaged, good: events.map(({ position }) => position) }
  })

describe('a damaged event', () => {
  it.each([
    ['has another payload', `update events set payload = replace(payload, '0.5', '0.6')`],
    ['is no JSON', `update events set payload = '{'`],
    ['has the id of another', `update events set id = 'x'`],
    ['has another checksum', `update events set checksum = checksum + 1`],
    ['has another user', `update events set user = 'user 0'`],
    ['has no user', 'update events set user = null'],
    ['has another recommendation', `update events set recommendation = 'x'`],
    ['is not there', 'delete from events'],
  ])('is found by its position if it %s', async (_, statement) => {
    const path = damagedStore(`${statement} where position = 4`)
    await withReader(path, async (reader) => {
      await expect(readAll(reader, 0)).rejects.toThrow(withCode('store-damaged'))
      await expect(readAll(reader, 0)).rejects.toThrow('position 4 ')
      expect(await readAll(reader, 4)).toHaveLength(7)
    })
    const { damaged, good } = await readGood(path)
    expect(damaged).toEqual([4])
    expect(good).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11])
  })

  it('is also found at the end of the log', async () => {
    const path = damagedStore('delete from events where position > 8')
    expect((await readGood(path)).damaged).toEqual([9, 10, 11])
  })

  it('is found if two events are swapped', async () => {
    const path = damagedStore(
      'update events set position = 99 where position = 2',
      'update events set position = 2 where position = 3',
      'update events set position = 3 where position = 99',
    )
    expect((await readGood(path)).damaged).toEqual([2, 3])
  })

  it('does not prevent the erasure of a user', async () => {
    const path = damagedStore(`update events set checksum = 0 where position = 4`)
    const store = await openSqliteStore(path)
    const { events } = await store.eraseUser({ user: 'user 3', time: 0, variantOf: () => 'x' })
    expect(events).toBe(1)
    const erased = { kind: 'erased', variant: 'x', impressions: [], interactions: [] }
    expect((await readAll(store, 3, 4))[0]!.event).toEqual(erased)
    await store.close()
  })
})

describe('a damaged item', () => {
  it.each([
    ['other attributes', `update items set attributes = '{"hot":false}'`],
    ['attributes that are no JSON', `update items set attributes = '{'`],
    ['another name', `update items set item = 'coffee'`],
    ['no checksum', 'update items set checksum = null'],
  ])('is reported, and skipped on request, if it has %s', async (_, statement) => {
    const path = damagedStore(`${statement} where item = 'tea'`)
    const store = await openSqliteStore(path)
    const items = store.items({ limit: 9 })
    await expect(items).rejects.toThrow(withCode('store-damaged'))
    await expect(items).rejects.toThrow(/the attributes of item "(tea|coffee)" are damaged/)
    const damaged: string[] = []
    const onDamaged = (item: string): void => void damaged.push(item)
    const [cocoa] = await store.items({ limit: 9, onDamaged })
    expect(cocoa).toEqual({ item: 'cocoa', attributes: { hot: true }, position: 11 })
    expect(damaged).toHaveLength(1)
    await store.close()
  })
})

describe('a damaged head of the log', () => {
  it.each([
    ['behind its events', 'update log set head = 9'],
    ['beyond its events', 'update log set head = 10000000000'],
    ['not there', 'delete from log'],
  ])('is refused if it is %s', async (_, statement) => {
    const path = damagedStore(statement)
    await expect(openSqliteStore(path)).rejects.toThrow(withCode('store-damaged'))
    const reading = withReader(path, (reader) => readAll(reader, 0))
    await expect(reading).rejects.toThrow(withCode('store-damaged'))
  })
})

describe('a damaged snapshot', () => {
  it.each([
    ['has another byte', `update snapshot_pieces set bytes = x'02' where part = 1`],
    ['lacks a piece', 'delete from snapshot_pieces where piece = 1'],
    ['lacks a part', 'delete from snapshot_pieces where part = 1'],
    ['ends too early', 'update snapshot_pieces set last = 1'],
  ])('is found if it %s', async (_, statement) => {
    const reader = await openSqliteReader(damagedStore(statement))
    const { id } = (await reader.snapshots('state', 's'))[0]!
    const reading = Array.fromAsync(reader.readSnapshot(id))
    await expect(reading).rejects.toThrow(withCode('snapshot-damaged'))
    await reader.close()
  })
})

describe('a file with damaged pages', () => {
  it('is refused, read correctly, or reported as damaged, but never read incorrectly', async () => {
    const path = damagedStore()
    const whole = readFileSync(path)
    const log = await withReader(path, (reader) => readAll(reader, 0))
    const pages = whole.length / 4096
    // The pages of the log come first, those of the snapshot after them.
    const anyPlace = fc.integer({ min: 0, max: Math.min(pages, 24) * 4096 - 64 })
    await fc.assert(
      fc.asyncProperty(anyPlace, fc.integer({ min: 1, max: 64 }), async (place, length) => {
        const bytes = Buffer.from(whole)
        for (let at = place; at < place + length; at++) bytes[at]! ^= 0x5a
        const copy = join(folder, `${fresh()}.db`)
        writeFileSync(copy, bytes)
        const outcome = await readGood(copy).catch((error: unknown) => error)
        if (outcome instanceof Error) {
          expect([
            'store-damaged',
            'store-foreign',
            'store-failed',
            'store-missing',
            'store-too-new',
          ]).toContain((outcome as Error & { code: string }).code)
          return
        }
        const { damaged, good } = outcome as Awaited<ReturnType<typeof readGood>>
        expect([...damaged, ...good].toSorted((a, b) => a - b)).toEqual(
          log.map(({ position }) => position),
        )
        const read = await withReader(copy, async (reader) =>
          (await Array.fromAsync(reader.read(0, { onDamaged: () => {} }))).flat(),
        )
        expect(read).toEqual(log.filter(({ position }) => good.includes(position)))
      }),
      { numRuns: 150 },
    )
  })
})

describe('a foreign file', () => {
  it('is refused and stays unchanged', async () => {
    const path = join(folder, 'foreign.db')
    const database = new DatabaseSync(path)
    database.exec('create table theirs (a); insert into theirs values (1)')
    database.close()
    const before = readFileSync(path)
    await expect(openSqliteStore(path)).rejects.toThrow(withCode('store-foreign'))
    await expect(openSqliteReader(path)).rejects.toThrow(withCode('store-foreign'))
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('is refused if a newer version wrote it', async () => {
    const path = damagedStore(`insert into migrations values (99, 'from the future')`)
    await expect(openSqliteStore(path)).rejects.toThrow(withCode('store-too-new'))
    await expect(openSqliteReader(path)).rejects.toThrow('version 99')
  })
})
