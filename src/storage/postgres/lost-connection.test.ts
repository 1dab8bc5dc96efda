import { setTimeout } from 'node:timers/promises'
import { createRandom } from 'ren-recommender'
import { describe, expect, it } from 'vitest'
import { feedback, readAll, withCode } from '../../../test/contracts/event-store-cases.ts'
import { canStartPostgres, runSql, sharedPostgres, startPostgres } from '../../../test/postgres.ts'
import { unreliableProxy, type UnreliableProxy } from '../../../test/unreliable-proxy.ts'
import type { EventStore } from '../event-store.ts'
import { openPostgresStore } from './store.ts'

interface Acknowledged {
  readonly name: string
  readonly position: number
}

/** Counts acknowledged calls, so that a test can wait for some, however busy the machine is. */
class Progress {
  calls = 0
  async more(calls: number): Promise<void> {
    for (const goal = this.calls + calls; this.calls < goal;) await setTimeout(2)
  }
}

/** Appends one batch after another, with and without ids, until `until` resolves. */
async function writeUntil(
  store: EventStore,
  writer: number,
  until: Promise<unknown>,
  progress: Progress,
) {
  const acknowledged: Acknowledged[] = []
  const unknown: string[] = []
  const state = { isDone: false }
  void until.then(() => (state.isDone = true))
  for (let batch = 0; !state.isDone; batch++) {
    const names = Array.from({ length: 1 + (batch % 3) }, (_, at) => `${writer}.${batch}.${at}`)
    const events = names.map((name, at) => feedback(name, at === 1 ? { id: `id ${name}` } : {}))
    // Every few batches, in a transaction of several statements.
    const mark = batch % 4 === 3 ? ([{ name: `writer ${writer}`, value: `${batch}` }] as const) : []
    try {
      const { results } = await store.append(events, ...mark)
      for (const [at, name] of names.entries()) {
        acknowledged.push({ name, position: results[at]!.position })
      }
      progress.calls += 1
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/store-failed|outcome-unknown/) })
      unknown.push(...names)
    }
  }
  return { acknowledged, unknown }
}

/** Every acknowledged event is at its position, every other one at most once, and positions have no gaps. */
async function checkLog(
  store: EventStore,
  written: readonly { acknowledged: Acknowledged[]; unknown: string[] }[],
): Promise<void> {
  const log = await readAll(store, 0)
  expect(log.map(({ position }) => position)).toEqual(log.map((_, at) => at + 1))
  const names = log.map(({ event }) => ('user' in event ? event.user : ''))
  const acknowledged = written.flatMap((one) => one.acknowledged)
  expect(acknowledged.length).toBeGreaterThan(100)
  for (const { name, position } of acknowledged) expect(names[position - 1]).toBe(name)
  expect(new Set(names).size).toBe(names.length)
  const known = new Set([
    ...acknowledged.map(({ name }) => name),
    ...written.flatMap((one) => one.unknown),
  ])
  expect(names.filter((name) => !known.has(name))).toEqual([])
}

async function checkSurvives(
  schema: string,
  patience: number,
  harm: (proxy: UnreliableProxy, progress: Progress) => Promise<void>,
): Promise<number> {
  const server = await sharedPostgres()
  const proxy = await unreliableProxy(server.folder)
  const stores: EventStore[] = []
  for (let writer = 0; writer < 4; writer++) {
    stores.push(await openPostgresStore(proxy.address(schema), { patience }))
  }
  const progress = new Progress()
  const harmed = harm(proxy, progress)
  const written = await Promise.all(
    stores.map((store, writer) => writeUntil(store, writer, harmed, progress)),
  )
  for (const store of stores) await store.close()
  await proxy.close()
  const checked = await openPostgresStore(server.address(schema))
  await checkLog(checked, written)
  await checked.close()
  return written.reduce((sum, { unknown }) => sum + unknown.length, 0)
}

describe.skipIf(!canStartPostgres)('a lost connection', () => {
  it('loses no event and stores none twice, whether it is cut before or after the commit', async () => {
    const random = createRandom('cuts')
    const unknown = await checkSurvives('cuts', 20_000, async (proxy, progress) => {
      for (let cut = 0; cut < 40; cut++) {
        await progress.more(1 + random.integer(10))
        await setTimeout(random.integer(10))
        if (cut % 2 === 0) proxy.cut()
        else proxy.loseAnswers()
      }
    })
    expect(unknown).toBe(0)
  })

  it('stores no event twice if the server receives the request later', async () => {
    await checkSurvives('delays', 800, async (proxy, progress) => {
      for (let delay = 0; delay < 3; delay++) {
        await progress.more(20)
        proxy.delayRequests(1600)
        await setTimeout(1700)
      }
      await progress.more(20)
    })
  })

  it('reports an unknown outcome if the server stays away', async () => {
    const server = await startPostgres()
    const proxy = await unreliableProxy(server.folder)
    const store = await openPostgresStore(proxy.address('away'), { patience: 500 })
    await store.append([feedback('ann')])
    proxy.delayRequests(100_000)
    const waiting = store.append([feedback('bob')])
    await setTimeout(100)
    await server.stop()
    await expect(waiting).rejects.toThrow(withCode('outcome-unknown'))
    await expect(store.append([feedback('cem')])).rejects.toThrow(withCode('store-failed'))
    await expect(store.head()).rejects.toThrow(withCode('store-failed'))
    await store.close()
    await proxy.close()
  })

  it('does not end a store: the next calls connect again', async () => {
    const server = await sharedPostgres()
    const store = await openPostgresStore(server.address('again'))
    await store.append([feedback('ann')])
    expect(await store.head()).toBe(1)
    runSql(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ren'`,
    )
    expect((await store.append([feedback('ann')])).head).toBe(2)
    expect(await readAll(store, 0)).toHaveLength(2)
    await store.close()
  })
})

it.skipIf(!canStartPostgres)('loses no acknowledged event when the server crashes', async () => {
  const server = await startPostgres()
  const schema = 'crashes'
  const stores: EventStore[] = []
  for (let writer = 0; writer < 4; writer++) {
    stores.push(await openPostgresStore(server.address(schema), { patience: 20_000 }))
  }
  const progress = new Progress()
  const crashed = (async () => {
    for (let crash = 0; crash < 4; crash++) {
      await progress.more(30)
      await server.crash()
    }
    await progress.more(10)
  })()
  const written = await Promise.all(
    stores.map((store, writer) => writeUntil(store, writer, crashed, progress)),
  )
  await checkLog(stores[0]!, written)
  expect(written.flatMap(({ unknown }) => unknown)).toEqual([])
  for (const store of stores) await store.close()
  await server.stop()
})
