import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { feedback, readAll, withCode } from '../../../test/contracts/event-store-cases.ts'
import {
  canStartPostgres,
  dumpOf,
  freshSchema,
  hasPostgres,
  runSql,
  sharedPostgres,
} from '../../../test/postgres.ts'
import { runScript } from '../../../test/run-script.ts'
import type { EventStore } from '../event-store.ts'
import { openReader, openStore } from '../open-store.ts'
import { openPostgresStore } from './store.ts'

const storage = "'./src/storage/index.ts'"
const snapshot = { kind: 'weights', scope: 's', position: 0, time: 1, about: {} } as const

async function closing(stores: readonly Pick<EventStore, 'close'>[]): Promise<void> {
  for (const store of stores) await store.close()
}

describe.skipIf(!hasPostgres)('a store on PostgreSQL', () => {
  it('has all data when it is opened again', async () => {
    const address = await freshSchema()
    const first = await openStore(address)
    const put = { kind: 'items-put', items: [{ item: 'a' }], time: 1 } as const
    await first.append([feedback('ann', { id: 'x' }), { event: put }], { name: 'm', value: 'v' })
    const { id } = await first.writeSnapshot(snapshot, [new Uint8Array(2_500_000).fill(3)])
    const log = await readAll(first, 0)
    await first.close()

    const second = await openStore(address, { create: false })
    expect(await readAll(second, 0)).toEqual(log)
    expect(await second.items({ limit: 9 })).toEqual([{ item: 'a', attributes: {}, position: 2 }])
    expect(await second.mark('m')).toBe('v')
    expect(await Array.fromAsync(second.readSnapshot(id))).toEqual([
      new Uint8Array(2_500_000).fill(3),
    ])
    const { results } = await second.append([feedback('ann', { id: 'x' }), feedback('ann')])
    expect(results.map(({ position }) => position)).toEqual([1, 3])
    await second.close()
  })

  it('can be read through other connections', async () => {
    const store = await openStore(await freshSchema())
    await store.append([feedback('ann')])
    const { id } = await store.writeSnapshot(snapshot, [Uint8Array.of(1)])
    const reader = await openReader(store.readerLocation)
    expect(await reader.head()).toBe(1)
    expect(await readAll(reader, 0)).toEqual(await readAll(store, 0))
    expect(await Array.fromAsync(reader.readSnapshot(id))).toEqual([Uint8Array.of(1)])
    await closing([reader, store])
  })

  it('finishes pending calls before it closes', async () => {
    const address = await freshSchema()
    const store = await openStore(address)
    const appends = Array.from({ length: 20 }, () => store.append([feedback('ann')]))
    const writing = store.writeSnapshot(snapshot, [new Uint8Array(3e6), new Uint8Array(3e6)])
    await store.close()
    expect((await Promise.all(appends)).at(-1)?.head).toBe(20)
    const again = await openStore(address)
    expect(await again.snapshots('weights', 's')).toEqual([await writing])
    await again.close()
  })

  it('does not keep a process alive, except for pending writes', async () => {
    const address = await freshSchema()
    await runScript(`
      import { openStore } from ${storage}
      const store = await openStore(${JSON.stringify(address)})
      await store.head()
      await store.claim()
      void store.append([{ event: { kind: 'user-erased', time: 1 } }])
    `).rest()
    const store = await openStore(address)
    expect(await store.head()).toBe(1)
    await store.close()
  })

  it('loads its driver only for an address of PostgreSQL', async () => {
    const loads = (location: string): Promise<string> =>
      runScript(`
        import { createRequire } from 'node:module'
        import { openStore } from ${storage}
        const store = await openStore(${JSON.stringify(location)})
        const { cache } = createRequire(import.meta.url)
        console.log(Object.keys(cache).some((path) => path.includes('/node_modules/pg/')))
        await store.close()
      `).rest()
    expect(await loads(':memory:')).toBe('false\n')
    expect(await loads(await freshSchema())).toBe('true\n')
  })
})

describe.skipIf(!hasPostgres)('several writers of one schema', () => {
  it('lose nothing and leave no gaps in different processes, and readers see no gap', async () => {
    const address = await freshSchema()
    const store = await openStore(address)
    const others = [0, 1, 2].map((writer) =>
      runScript(`
        import { openStore } from ${storage}
        const store = await openStore(${JSON.stringify(address)})
        const user = 'writer ${writer}'
        const event = { kind: 'interaction', user, item: 'a', reward: 1, time: 1 }
        const acknowledged = []
        for (let at = 0; at < 200; at++) {
          const events = [{ id: user + ' ' + at, event }, { id: 'all ' + at, event }, { event }]
          const { results } = await store.append(events.slice(0, 1 + (at % 3)))
          acknowledged.push(results[0].position)
        }
        await store.close()
        console.log(JSON.stringify(acknowledged))
      `),
    )
    const work = { isDone: false }
    const written = Promise.all(others.map((other) => other.rest())).finally(
      () => (work.isDone = true),
    )
    const seen: number[] = []
    while (!work.isDone) {
      for await (const events of store.read(seen.length)) {
        seen.push(...events.map(({ position }) => position))
      }
      await setTimeout(5)
    }
    expect(seen).toEqual(seen.map((_, at) => at + 1))
    const log = await readAll(store, 0)
    for (const [writer, printed] of (await written).entries()) {
      const positions = JSON.parse(printed) as number[]
      expect(positions.map((position) => log[position - 1]!.id)).toEqual(
        positions.map((_, at) => `writer ${writer} ${at}`),
      )
    }
    // The ids of all writers are stored once: in two of three appends.
    expect(log.filter(({ id }) => id?.startsWith('all ')).length).toBe(133)
    await store.close()
  })

  it('agree on the positions of ids that they append at the same time', async () => {
    const address = await freshSchema()
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(address)))
    const answers = await Promise.all(
      stores.map(async (store, writer) => {
        const positions = new Map<string, number>()
        for (let round = 0; round < 60; round++) {
          // The order differs, so that sessions would wait for each other if they locked ids.
          const ids = [0, 1, 2].map((at) => `${round} ${(at + writer) % 3}`)
          const { results } = await store.append(ids.map((id) => feedback('ann', { id })))
          for (const [at, id] of ids.entries()) positions.set(id, results[at]!.position)
        }
        return positions
      }),
    )
    const log = await readAll(stores[0]!, 0)
    expect(log).toHaveLength(180)
    const expected = new Map(log.map(({ id, position }) => [id!, position]))
    for (const positions of answers) expect(positions).toEqual(expected)
    await closing(stores)
  })

  it('go on when the head of the log continues in another row', async () => {
    const address = await freshSchema()
    const stores = await Promise.all([openStore(address), openStore(address)])
    const schema = /schema=(\w+)/.exec(address)![1]!
    const rolls = async (): Promise<void> => {
      for (let roll = 0; roll < 5; roll++) {
        await setTimeout(30)
        runSql(await sharedPostgres(), `update ${schema}.log_head set commits = 2000`)
      }
    }
    const write = async (store: EventStore): Promise<void> => {
      for (let at = 0; at < 150; at++) await store.append([feedback('ann')])
    }
    await Promise.all([...stores.map(write), rolls()])
    for (const store of stores) await store.append([feedback('ann')])
    expect(await readAll(stores[0], 0)).toHaveLength(302)
    const segment = runSql(await sharedPostgres(), `select segment from ${schema}.log_head`)
    expect(Number(segment)).toBeGreaterThan(2)
    await closing(stores)
  })
})

describe.skipIf(!canStartPostgres)('an erased user', () => {
  it('is in no table of a dump', async () => {
    const server = await sharedPostgres()
    const store = await openPostgresStore(server.address('erasing'))
    await store.append([
      feedback('Ann Example', { id: 'order 7' }),
      { event: { kind: 'users-merged', user: 'Ann Example', from: 'Old Name', time: 1 } },
      feedback('Bob'),
    ])
    await store.writeSnapshot({ ...snapshot, kind: 'state', position: 3 }, [
      Buffer.from('the state of Ann Example'),
    ])
    const stateBytes = Buffer.from('the state of Ann Example').toString('hex')
    expect(dumpOf(server, 'erasing')).toContain('Ann Example')
    expect(dumpOf(server, 'erasing')).toContain(stateBytes)
    await store.eraseUser({ user: 'Ann Example', time: 2, variantOf: () => 'x' })
    // Dropped snapshots are deleted in the background, at the latest when the store closes.
    await store.close()
    const dump = dumpOf(server, 'erasing')
    expect(dump).not.toMatch(/Ann Example|Old Name/)
    expect(dump).not.toContain(stateBytes)
    expect(dump).toContain('order 7')
    expect(dump).toContain('Bob')
  })
})

describe.skipIf(!canStartPostgres)('a damaged event', () => {
  it('is found by its position', async () => {
    const server = await sharedPostgres()
    const store = await openPostgresStore(server.address('damaged'))
    await store.append(
      Array.from({ length: 6 }, (_, at) => feedback(`user ${at}`, { id: `${at}` })),
    )
    runSql(
      server,
      `set search_path to damaged; delete from events where position = 2;
       update events set payload = replace(payload, '0.5', '0.6') where position = 4;
       update events set id = 'other' where position = 5`,
    )
    await expect(readAll(store, 0)).rejects.toThrow(withCode('store-damaged'))
    const damaged: number[] = []
    const onDamaged = (position: number): void => void damaged.push(position)
    const good = (await Array.fromAsync(store.read(0, { onDamaged }))).flat()
    expect(damaged).toEqual([2, 4, 5])
    expect(good.map(({ position }) => position)).toEqual([1, 3, 6])
    await store.eraseUser({ user: 'user 3', time: 0, variantOf: () => 'x' })
    expect((await readAll(store, 3, 4))[0]!.event).toMatchObject({ kind: 'erased' })
    await store.close()
  })
})

describe.skipIf(!canStartPostgres)('the claim of a schema', () => {
  it('is shared by services, but a copy needs it alone until it is closed', async () => {
    const server = await sharedPostgres()
    const open = (schema: string) => openPostgresStore(server.address(schema))
    const stores = [await open('claimed'), await open('claimed'), await open('free')]
    const [first, second, other] = stores as [EventStore, EventStore, EventStore]
    await first.claim()
    await second.claim()
    await expect(other.claim(true)).resolves.toBeUndefined()
    const third = await open('claimed')
    await expect(third.claim(true)).rejects.toThrow(withCode('store-in-use'))
    await expect(third.claim(true)).rejects.toThrow(
      /another service \(session \d+ from a local socket\) uses the schema claimed of postgres:/,
    )
    // Other processes may write meanwhile, such as an import.
    expect((await third.append([feedback('ann')])).head).toBe(1)
    await first.close()
    await second.close()
    await third.claim(true)
    const fourth = await open('claimed')
    await expect(fourth.claim()).rejects.toThrow(/uses alone the schema claimed/)
    await closing([third, fourth, other])
  })

  it('ends with the process, even if it is killed', async () => {
    const address = (await sharedPostgres()).address('killed')
    const other = runScript(`
      import { openStore } from ${storage}
      const store = await openStore(${JSON.stringify(address)})
      await store.claim(true)
      async function* parts() {
        yield new Uint8Array(3_000_000)
        console.log('claimed')
        setInterval(() => {}, 1000)
        await new Promise(() => {})
      }
      await store.writeSnapshot(${JSON.stringify(snapshot)}, parts())
    `)
    expect(await other.nextLine()).toBe('claimed')
    const store = await openStore(address)
    await expect(store.claim()).rejects.toThrow(withCode('store-in-use'))
    const ended = other.rest()
    other.process.kill('SIGKILL')
    await expect(ended).rejects.toThrow('ended with null')
    await store.claim()
    await store.close()
    const server = await sharedPostgres()
    const left = `select (select count(*) from killed.snapshots) + (select count(*) from killed.snapshot_pieces)`
    expect(runSql(server, left)).toBe('0\n')
  })

  it('is taken again after a lost connection, and refuses writes if another service has it', async () => {
    const server = await sharedPostgres()
    const cutAll = (): string =>
      runSql(
        server,
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted`,
      )
    const [first, second] = [
      await openPostgresStore(server.address('lost')),
      await openPostgresStore(server.address('lost')),
    ]
    await first.claim(true)
    cutAll()
    // It claims the store by itself, though it writes nothing.
    await expect
      .poll(() => runSql(server, `select count(*) from pg_locks where locktype = 'advisory'`), {
        timeout: 20_000,
      })
      .toBe('1\n')
    await expect(second.claim(true)).rejects.toThrow(withCode('store-in-use'))
    cutAll()
    await second.claim(true)
    await expect(first.append([feedback('ann')])).rejects.toThrow(withCode('store-in-use'))
    expect((await second.append([feedback('ann')])).head).toBe(1)
    await second.close()
    expect((await first.append([feedback('ann')])).head).toBe(2)
    await first.close()
  })
})
