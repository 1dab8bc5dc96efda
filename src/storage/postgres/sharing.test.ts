import { setTimeout } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { feedback, readAll, withCode } from '../../../test/contracts/event-store-cases.ts'
import {
  canStartPostgres,
  dumpOf,
  freshSchema,
  runSql,
  sharedPostgres,
} from '../../../test/postgres.ts'
import { runScript } from '../../../test/run-script.ts'
import { unreliableProxy } from '../../../test/unreliable-proxy.ts'
import type { AnnouncedService, EventStore, NewSnapshot, SharedStore } from '../event-store.ts'
import { openPostgresReader } from './reader.ts'
import { openPostgresStore } from './store.ts'

const opened: EventStore[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function open(address: string): Promise<EventStore & { readonly shared: SharedStore }> {
  const store = await openPostgresStore(address)
  opened.push(store)
  return store as EventStore & { readonly shared: SharedStore }
}

/** The schema of an address of `freshSchema`. */
const schemaOf = (address: string): string => /schema=(\w+)/.exec(address)![1]!

const weights: NewSnapshot = {
  kind: 'weights',
  scope: 'ren',
  position: 0,
  time: 1,
  about: { version: 1 },
}
const bytes = [Uint8Array.of(1, 2, 3), new Uint8Array(2_000_000)]

const service = (id: string, more: Partial<AnnouncedService> = {}): AnnouncedService => ({
  id,
  name: `host:${id}`,
  position: 0,
  settings: { seed: 'x' },
  about: {},
  ...more,
})

describe.skipIf(!canStartPostgres)('the lease of the learner', () => {
  it('belongs to one service until it expires or is given back', async () => {
    const { shared } = await open(await freshSchema())
    const first = await shared.lead('a', 200)
    expect(first).toEqual({ id: 'a', epoch: 1 })
    expect(await shared.lead('b', 200)).toBeNull()
    expect(await shared.lead('a', 200)).toEqual(first)
    await setTimeout(250)
    const second = await shared.lead('b', 5000)
    expect(second).toEqual({ id: 'b', epoch: 2 })
    expect(await shared.lead('a', 200)).toBeNull()
    await shared.stopLeading(second!)
    // The same service has another epoch when it leads again.
    expect(await shared.lead('b', 200)).toEqual({ id: 'b', epoch: 3 })
  })

  it('is checked by the statement that publishes: the event, the snapshot and the head change together', async () => {
    const address = await freshSchema()
    const [one, other] = [await open(address), await open(address)]
    await one.append([feedback('ann')])
    const lease = (await one.shared.lead('a', 5000))!
    const published = await one.shared.publish(lease, weights, bytes)
    expect(published).toMatchObject({
      position: 2,
      event: { group: 'ren', snapshot: { bytes: 2_000_003 } },
    })
    expect((await readAll(other, 1)).map(({ event }) => event)).toEqual([published.event])
    const [info] = await other.snapshots('weights', 'ren')
    expect(info).toMatchObject({ id: published.event.snapshot.id, readable: true })
    expect(await Array.fromAsync(other.readSnapshot(info!.id))).toEqual(bytes)
    expect((await other.append([feedback('bob')])).head).toBe(3)
  })

  const stale: readonly (readonly [string, (store: SharedStore) => Promise<unknown>])[] = [
    ['has expired', () => setTimeout(150)],
    [
      'has passed to another service',
      async (shared) => {
        await setTimeout(150)
        await shared.lead('b', 5000)
      },
    ],
    [
      'has an old epoch',
      async (shared) => {
        await setTimeout(150)
        await shared.stopLeading((await shared.lead('b', 5000))!)
        await shared.lead('a', 5000)
      },
    ],
  ]
  it.each(stale)('refuses to publish if it %s, and nothing changes', async (_, change) => {
    const store = await open(await freshSchema())
    const { shared } = store
    const lease = (await shared.lead('a', 100))!
    await change(shared)
    await expect(shared.publish(lease, weights, bytes)).rejects.toThrow(withCode('lease-lost'))
    expect(await store.head()).toBe(0)
    expect(await store.snapshots('weights', 'ren')).toEqual([])
  })

  it('refuses to publish after waiting for the service that takes it', async () => {
    const address = await freshSchema()
    const [store, server, schema] = [await open(address), await sharedPostgres(), schemaOf(address)]
    const lease = (await store.shared.lead('a', 60_000))!
    // Another session takes the lease in a transaction that commits while the statement waits.
    const { connect } = await import('./connection.ts')
    const { parseAddress } = await import('./address.ts')
    const other = await connect(parseAddress(address), { connectMs: 5000, queryMs: 5000 })
    await other.run('begin')
    await other.query(`update lease set holder = 'b', epoch = epoch + 1 where holder = 'a'`)
    const publishing = store.shared.publish(lease, weights, [Uint8Array.of(1)])
    publishing.catch(() => {})
    await expect
      .poll(() =>
        runSql(server, `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`),
      )
      .toBe('1\n')
    await other.run('commit')
    await expect(publishing).rejects.toThrow(withCode('lease-lost'))
    expect(runSql(server, `select head from ${schema}.log_head`)).toBe('0\n')
    await other.close()
  })

  it('publishes across a roll of the head, without a gap', async () => {
    const address = await freshSchema()
    const [store, other] = [await open(address), await open(address)]
    const lease = (await store.shared.lead('a', 60_000))!
    await store.append([feedback('ann')])
    runSql(
      await sharedPostgres(),
      `with old as (delete from ${schemaOf(address)}.log_head returning *)
       insert into ${schemaOf(address)}.log_head select segment + 1, head, 0, last_erasure from old`,
    )
    expect(await store.shared.publish(lease, weights, bytes)).toMatchObject({ position: 2 })
    expect((await other.append([feedback('bob')])).head).toBe(3)
    expect(await readAll(other, 0)).toHaveLength(3)
  })
})

describe.skipIf(!canStartPostgres)('services that share a schema', () => {
  it('see each other, and who is the learner', async () => {
    const address = await freshSchema()
    const [one, other] = [await open(address), await open(address)]
    await one.shared.announce(service('a'))
    await one.shared.lead('a', 5000)
    const seen = await other.shared.announce(service('b', { position: 7, about: { x: 1 } }))
    expect(seen).toMatchObject([
      { id: 'a', name: 'host:a', isLearner: true },
      { id: 'b', position: 7, about: { x: 1 }, isLearner: false },
    ])
    await one.shared.leave('a')
    expect(await other.shared.announce(service('b'))).toMatchObject([{ id: 'b' }])
  })

  it('must have the same settings, unless the other one is gone', async () => {
    const address = await freshSchema()
    const { shared } = await open(address)
    await shared.announce(service('a'))
    const different = service('b', { settings: { seed: 'y' } })
    await expect(shared.announce(different)).rejects.toThrow(withCode('settings-differ'))
    await expect(shared.announce(different)).rejects.toThrow(/seed: here y, there x/)
    expect(await shared.announce(service('a'))).toMatchObject([{ id: 'a' }])
    await shared.leave('a')
    expect(await shared.announce(different)).toMatchObject([{ id: 'b' }])
  })

  it('are notified of each other’s events, also after the connection was lost', async () => {
    const address = await freshSchema()
    const [one, other] = [await open(address), await open(address)]
    let calls = 0
    one.shared.watch(() => (calls += 1))
    other.shared.watch(() => {})
    const notified = async (): Promise<void> => {
      const before = calls
      await expect
        .poll(async () => {
          await other.append([feedback('ann')])
          return calls
        })
        .toBeGreaterThan(before)
    }
    await notified()
    runSql(
      await sharedPostgres(),
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen "ren ${schemaOf(address)}%'`,
    )
    await notified()
  })

  it('notify a server that answers slowly with one call at a time', async () => {
    const proxy = await unreliableProxy((await sharedPostgres()).folder)
    const script = runScript(`
      import { setTimeout } from 'node:timers/promises'
      import { parseAddress } from './src/storage/postgres/address.ts'
      import { Listener } from './src/storage/postgres/listener.ts'
      process.on('warning', ({ message }) => console.log(message))
      const address = parseAddress('${proxy.address('public')}')
      const listener = new Listener(address, { connectMs: 5000, queryMs: 30_000 })
      await new Promise((resolve) => listener.add(resolve))
      console.log('connected')
      for (let at = 0; at < 60; at++) {
        listener.notify()
        await setTimeout(20)
      }
      await listener.close()
    `)
    expect(await script.nextLine()).toBe('connected')
    proxy.delayRequests(500)
    expect(await script.rest()).toBe('')
    await proxy.close()
  })

  it('know the names of erased users until all have applied the erasure', async () => {
    const address = await freshSchema()
    const [one, other] = [await open(address), await open(address)]
    await one.shared.announce(service('a'))
    await other.shared.announce(service('b'))
    await one.append([feedback('Ann Example')])
    const { position } = await one.eraseUser({ user: 'Ann Example', time: 1, variantOf: () => 'x' })
    expect(await other.shared.erasedAt(position)).toEqual({
      users: ['Ann Example'],
      lastReusedMerge: 0,
    })
    await one.shared.announce(service('a', { position }))
    expect(await other.shared.erasedAt(position)).not.toBeNull()
    await other.shared.announce(service('b', { position }))
    expect(await other.shared.erasedAt(position)).toBeNull()
    expect(dumpOf(await sharedPostgres(), schemaOf(address))).not.toContain('Ann Example')
  })
})

describe.skipIf(!canStartPostgres)('a log that was rewound', () => {
  /** Replaces the last events, as the failover to a standby that lacked them. */
  async function rewind(address: string, from: number, events: number): Promise<void> {
    const schema = schemaOf(address)
    runSql(
      await sharedPostgres(),
      `delete from ${schema}.events where position >= ${from};
       update ${schema}.log_head set head = ${from - 1}`,
    )
    const other = await openPostgresStore(address)
    for (let at = 0; at < events; at++) await other.append([feedback(`other ${at}`)])
    await other.close()
  }

  it.each([0, 1, 2, 5])('is noticed by a reader if %i other events follow', async (events) => {
    const address = await freshSchema()
    const writer = await open(address)
    await writer.append([feedback('a'), feedback('b')])
    await writer.append([feedback('c'), feedback('d')])
    const reader = await openPostgresReader(address)
    expect(await readAll(reader, 0)).toHaveLength(4)
    await rewind(address, 3, events)
    await expect(readAll(reader, 4)).rejects.toThrow(withCode('log-rewound'))
    expect(await readAll(reader, 0)).toHaveLength(2 + events)
    await reader.close()
  })

  it('is noticed by a writer that continues it at the same position', async () => {
    const address = await freshSchema()
    const writer = await open(address)
    await writer.append([feedback('a')])
    await writer.append([feedback('b')])
    await rewind(address, 2, 1)
    expect((await writer.append([feedback('c')])).head).toBe(3)
    await expect(readAll(writer, 3)).rejects.toThrow(withCode('log-rewound'))
    expect(await readAll(writer, 0)).toHaveLength(3)
  })

  it('does not get a state of the events that it lacks', async () => {
    const address = await freshSchema()
    const writer = await open(address)
    await writer.append([feedback('a')])
    await writer.append([feedback('b')])
    await rewind(address, 2, 3)
    const state: NewSnapshot = { ...weights, kind: 'state', position: 2 }
    await expect(writer.writeSnapshot(state, bytes)).rejects.toThrow(withCode('log-rewound'))
    expect(await writer.snapshots('state', 'ren')).toEqual([])
  })
})

describe.skipIf(!canStartPostgres)('a schema of version 1', () => {
  it('is migrated, and nothing is lost', async () => {
    const server = await sharedPostgres()
    const path = new URL('../../../test/fixtures/postgres-8eb21ab.sql', import.meta.url)
    // psql of other versions does not know these commands of pg_dump.
    const sql = readFileSync(path, 'utf8').replaceAll(/^\\.*$/gm, '')
    runSql(server, `${insertsOf(sql)}; reset all`)
    const store = await open(server.address('fixture'))
    expect(await store.head()).toBe(5)
    expect((await readAll(store, 0)).map(({ event }) => event.kind)).toEqual([
      'items-put',
      'recommendation',
      'interaction',
      'erased',
      'user-erased',
    ])
    expect(await store.mark('import x')).toBe('4')
    expect(await store.keys()).toMatchObject([{ id: 'k', scopes: ['admin'] }])
    const [info] = await store.snapshots('weights', 'ren')
    expect(await Array.fromAsync(store.readSnapshot(info!.id))).toEqual([Uint8Array.of(1, 2, 3)])
    expect((await store.append([feedback('ann')])).head).toBe(6)
    expect(await store.shared.lead('a', 1000)).toMatchObject({ epoch: 1 })
  })
})

/** Rows of COPY as inserts, since they are part of one call. */
function insertsOf(dump: string): string {
  return dump.replaceAll(
    /^COPY (\S+) \(([^)]*)\) FROM stdin;\n([^]*?)(?=^(?:--|SELECT|$))/gm,
    (_, table: string, columns: string, rows: string) =>
      rows
        .split('\n')
        .filter((row) => row !== '')
        .map((row) => {
          const values = row.split('\t').map((value) => {
            if (value === '\\N') return 'null'
            return `'${value.replaceAll('\\\\', '\\').replaceAll("'", "''")}'`
          })
          return `insert into ${table} (${columns}) overriding system value values (${values.join(', ')});`
        })
        .join('\n'),
  )
}
