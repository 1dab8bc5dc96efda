import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  feedback,
  fresh,
  readAll,
  servedWith,
  withCode,
} from '../../../test/contracts/event-store-cases.ts'
import { runScript } from '../../../test/run-script.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { EventStore } from '../event-store.ts'
import { openStore } from '../open-store.ts'
import { openSqliteReader } from './reader.ts'
import { openSqliteStore } from './store.ts'

const { folder, write } = temporaryFiles()
const newPath = (): string => join(folder, `${fresh()}.db`)
const storage = "'./src/storage/index.ts'"

describe('a store in a file', () => {
  it('has all data when it is opened again', async () => {
    const path = newPath()
    const first = await openSqliteStore(path)
    const put = { kind: 'items-put', items: [{ item: 'a' }], time: 1 } as const
    await first.append([feedback('ann', { id: 'x' }), { event: put }], { name: 'm', value: 'v' })
    const requested = { kind: 'weights', scope: 's', position: 2, time: 1, about: {} } as const
    const { id } = await first.writeSnapshot(requested, [Uint8Array.of(1, 2)])
    const log = await readAll(first, 0)
    await first.close()

    const second = await openStore(path)
    expect(await readAll(second, 0)).toEqual(log)
    expect(await second.items({ limit: 9 })).toEqual([{ item: 'a', attributes: {}, position: 2 }])
    expect(await second.mark('m')).toBe('v')
    expect(await Array.fromAsync(second.readSnapshot(id))).toEqual([Uint8Array.of(1, 2)])
    const { results } = await second.append([feedback('ann', { id: 'x' }), feedback('ann')])
    expect(results.map(({ position }) => position)).toEqual([1, 3])
    await second.close()
  })

  it('can be read through other connections', async () => {
    const store = await openSqliteStore(newPath())
    const reader = await openSqliteReader(store.location)
    await store.append([feedback('ann')])
    expect(await reader.head()).toBe(1)
    expect(await readAll(reader, 0)).toEqual(await readAll(store, 0))
    await reader.close()
    await expect(reader.head()).rejects.toThrow(withCode('store-closed'))
    await store.close()
  })

  it('does not wait for a group that does not form again', async () => {
    const store = await openSqliteStore(newPath())
    for (const calls of [30, 1, 1, 7, 1]) {
      const appends = Array.from({ length: calls }, () => store.append([feedback('ann')]))
      await Promise.all(appends)
    }
    expect(await store.head()).toBe(40)
    await store.close()
  })

  it('finishes pending calls before it closes', async () => {
    const store = await openSqliteStore(newPath())
    const appends = Array.from({ length: 20 }, () => store.append([feedback('ann')]))
    const requested = { kind: 'weights', scope: 's', position: 2, time: 1, about: {} } as const
    const snapshot = store.writeSnapshot(requested, [new Uint8Array(3e6), new Uint8Array(3e6)])
    await store.close()
    const answers = await Promise.all(appends)
    expect(answers.at(-1)?.head).toBe(20)
    const again = await openSqliteStore(store.location)
    expect(await again.snapshots('weights', 's')).toEqual([await snapshot])
    await again.close()
  })

  it('reports on every call that its writer has died', async () => {
    const worker = new Promise<Worker>((resolve) => process.once('worker', resolve))
    const store = await openSqliteStore(newPath())
    const waiting = store.append([feedback('ann')])
    void (await worker).terminate()
    await expect(waiting).rejects.toThrow('lost its writer')
    for (const call of [() => store.append([]), () => store.head(), () => readAll(store, 0)]) {
      await expect(call()).rejects.toThrow(withCode('store-failed'))
      await expect(call()).rejects.toThrow('open it again')
    }
    await store.close()
  })

  it.each([
    ['a folder that is not there', () => join(folder, 'nowhere', 'x.db'), 'store-missing'],
    ['a folder', () => folder, 'store-failed'],
    ['a file of another kind', () => write('not a database at all, '.repeat(99)), 'store-foreign'],
  ])('refuses %s', async (_, path, code) => {
    await expect(openSqliteStore(path())).rejects.toThrow(withCode(code))
  })

  it('cannot be read if it does not exist', async () => {
    await expect(openSqliteReader(newPath())).rejects.toThrow(withCode('store-missing'))
    await expect(openSqliteReader(write(''))).rejects.toThrow(withCode('store-missing'))
  })

  it('does not keep a process alive, except for pending writes', async () => {
    const path = newPath()
    await runScript(`
      import { openSqliteStore } from ${storage}
      const store = await openSqliteStore(${JSON.stringify(path)})
      void store.append([{ event: { kind: 'user-erased', time: 1 } }])
    `).rest()
    const store = await openSqliteStore(path)
    expect(await store.head()).toBe(1)
    await store.close()
  })
})

describe('several writers of one file', () => {
  const checkTogether = async (stores: readonly EventStore[], sizes: readonly number[]) => {
    const before = await stores[0]!.head()
    const calls = sizes.map((size, call) =>
      stores[call % stores.length]!.append(
        Array.from({ length: size }, (_, at) => feedback(`${call} ${at}`)),
      ),
    )
    const answers = await Promise.all(calls)
    const log = await readAll(stores[0]!, before)
    expect(log.map(({ position }) => position)).toEqual(log.map((_, at) => before + 1 + at))
    const named = new Map(
      log.map(({ event, position }) => ['user' in event && event.user, position]),
    )
    for (const [call, { results }] of answers.entries()) {
      for (const [at, { position }] of results.entries()) {
        expect(named.get(`${call} ${at}`)).toBe(position)
      }
    }
    expect(log).toHaveLength(sizes.reduce((sum, size) => sum + size, 0))
  }

  it('lose nothing and leave no gaps', async () => {
    const path = newPath()
    const stores = [await openSqliteStore(path), await openSqliteStore(path)]
    const anySizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(anySizes, (sizes) => checkTogether(stores, sizes)),
      { numRuns: 20 },
    )
    for (const store of stores) await store.close()
  })

  it('may be different processes', async () => {
    const store = await openSqliteStore(newPath())
    const other = runScript(`
      import { openSqliteStore } from ${storage}
      const store = await openSqliteStore(${JSON.stringify(store.location)})
      console.log('open')
      const calls = []
      for (let at = 0; at < 100; at++) {
        const event = { kind: 'feedback', user: 'other', item: 'a', reward: 1, time: at }
        calls.push(store.append([{ id: 'other ' + at, event }, { id: 'both ' + at, event }]))
        await (at % 10 === 0 ? calls.at(-1) : null)
      }
      const positions = (await Promise.all(calls)).map(({ results }) => results[0].position)
      await store.close()
      console.log(JSON.stringify(positions))
    `)
    expect(await other.nextLine()).toBe('open')
    const mine: number[] = []
    for (let at = 0; at < 100; at++) {
      const both = feedback('mine', { id: `both ${at}` })
      mine.push((await store.append([both, feedback('mine')])).results[1]!.position)
    }
    const theirs = JSON.parse(await other.rest()) as number[]
    const log = await readAll(store, 0)
    expect(log.map(({ position }) => position)).toEqual(log.map((_, at) => at + 1))
    // 100 events of each writer, and 100 with ids of both, which are stored once.
    expect(log).toHaveLength(300)
    const eventAt = (position: number) => log[position - 1]!
    expect(theirs.map((position) => eventAt(position).id)).toEqual(
      theirs.map((_, at) => `other ${at}`),
    )
    expect(mine.every((position) => eventAt(position).id === undefined)).toBe(true)
    await store.close()
  })
})

describe('a full disk', () => {
  it('fails writes completely, and later writes succeed when there is space', async () => {
    const store = await openSqliteStore(newPath(), { maxBytes: 1_000_000 })
    const requested = { kind: 'weights', scope: 's', position: 0, time: 0, about: {} } as const
    await store.writeSnapshot(requested, [new Uint8Array(600_000)])
    await store.append([feedback('first')])
    const large = Array.from({ length: 4 }, () => servedWith('x'.repeat(100_000)))
    // In one group with an append that fits.
    const [tooLarge, beside] = await Promise.allSettled([
      store.append(large),
      store.append([feedback('second')]),
    ])
    expect(tooLarge).toMatchObject({ reason: { code: 'store-failed' } })
    expect(String((tooLarge as PromiseRejectedResult).reason)).toContain('the disk is full')
    expect(beside).toMatchObject({ value: { head: 2 } })
    expect(await readAll(store, 0)).toHaveLength(2)

    await expect(store.append(large)).rejects.toThrow(withCode('store-failed'))
    await store.trimSnapshots('weights', 's', 0)
    expect((await store.append(large)).head).toBe(6)
    await store.close()
  })
})
