// One learner among services of several processes: it is killed, or stands still beyond its lease.

import { setTimeout } from 'node:timers/promises'
import type { EventStore } from 'ren-recommender/storage'
import { afterEach, describe, expect, it } from 'vitest'
import { openWithGroups } from '../src/service/open-service.ts'
import { canStartPostgres, dumpOf, freshSchema, runSql, sharedPostgres } from './postgres.ts'
import { runFile, runScript, type Script } from './run-script.ts'

const leaseMs = 1500

type Opened = Awaited<ReturnType<typeof openWithGroups>>
const running: Opened[] = []
const scripts: Script[] = []
afterEach(async () => {
  for (const { process } of scripts.splice(0)) process.kill('SIGKILL')
  for (const { service } of running.splice(0)) await service.close()
})

const settings = {
  learning: { everyEvents: 5, everySeconds: 0.1, tolerance: 100, holdOut: 0 },
  relevance: 'model' as const,
  variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 4 } }],
}

async function start(store: string, more: object = {}): Promise<Opened> {
  const opened = await openWithGroups(
    { store, onLogMessage() {}, ...settings, ...more },
    { leaseMs },
  )
  running.push(opened)
  return opened
}

/** A learner in another process. With a version, it is killed in the middle of an update after it. */
async function startOther(store: string, version = Infinity, more = {}): Promise<Script> {
  const all = JSON.stringify({ store, ...settings, ...more })
  const script = runFile('test/run-service.ts', all, String(leaseMs), String(version))
  scripts.push(script)
  expect(await script.nextLine()).toBe('learner')
  return script
}

/** Puts items into a catalog that is still empty. */
const putItems = ({ service }: Opened) =>
  service.items.put(Array.from({ length: 30 }, (_, at) => ({ item: `item ${at}` })))

/** Records interactions, each acknowledged, until `until` resolves. Returns their ids. */
async function feed(
  { service: own }: Opened,
  name: string,
  until: Promise<unknown>,
): Promise<string[]> {
  const state = { isDone: false }
  void until.then(() => (state.isDone = true))
  const ids: string[] = []
  for (let at = 0; !state.isDone; at++) {
    const id = `${name} ${at}`
    const { accepted } = await own.record([
      { id, user: `user ${at % 20}`, item: `item ${at % 30}` },
    ])
    expect(accepted).toBe(1)
    ids.push(`feedback ${id}`)
    await setTimeout(5)
  }
  return ids
}

const publishedIn = async (store: EventStore) =>
  (await Array.fromAsync(store.read(0)))
    .flat()
    .flatMap(({ event }) =>
      event.kind === 'weights-published' ? [event.snapshot.about['version'] as number] : [],
    )

async function expectDense(store: EventStore): Promise<void> {
  const versions = await publishedIn(store)
  expect(versions).toEqual(versions.map((_, at) => at + 1))
}

async function expectAll(store: EventStore, ids: readonly string[]): Promise<void> {
  const log = (await Array.fromAsync(store.read(0))).flat()
  expect(log.map(({ position }) => position)).toEqual(log.map((_, at) => at + 1))
  const known = log.flatMap(({ id }) => id ?? [])
  expect(new Set(known).size).toBe(known.length)
  expect(ids.filter((id) => !known.includes(id))).toEqual([])
}

const waits = { timeout: 30_000 }

describe.skipIf(!canStartPostgres)('another service takes over', () => {
  it('when the learner is killed while it learns, and no acknowledged event is lost', async () => {
    const address = await freshSchema()
    const other = await startOther(address, 2)
    const own = await start(address)
    await putItems(own)
    expect(own.service.health().role).toBe('follower')
    const fed = Promise.withResolvers<void>()
    const ids = feed(own, 'killed', fed.promise)
    expect(await other.nextLine()).toBe(null)
    expect(other.process.signalCode).toBe('SIGKILL')
    await expect.poll(() => own.service.health().role, waits).toBe('learner')
    const { version } = own.service.model.current()[0]!
    await expect.poll(() => own.service.model.current()[0]!.version, waits).toBeGreaterThan(version)
    fed.resolve()
    await expectAll(own.service.store, await ids)
    await expectDense(own.service.store)
    expect(own.service.health()).toMatchObject({ ready: true, problems: [] })
  })

  it('when the learner stands still, which then publishes nothing and follows', async () => {
    const address = await freshSchema()
    const other = await startOther(address)
    const own = await start(address)
    await putItems(own)
    const fed = Promise.withResolvers<void>()
    const ids = feed(own, 'stopped', fed.promise)
    await expect.poll(() => own.service.model.current()[0]!.version, waits).toBeGreaterThan(0)
    other.process.kill('SIGSTOP')
    await expect.poll(() => own.service.health().role, waits).toBe('learner')
    const { version } = own.service.model.current()[0]!
    await expect.poll(() => own.service.model.current()[0]!.version, waits).toBeGreaterThan(version)
    other.process.kill('SIGCONT')
    await setTimeout(1000)
    expect(own.service.health().role).toBe('learner')
    fed.resolve()
    await expectAll(own.service.store, await ids)
    await expectDense(own.service.store)
    const services = () => own.service.health().services.map(({ role }) => role)
    await expect.poll(services, waits).toEqual(['follower', 'learner'])
  })

  it('and resumes the full training run of a learner that was killed', async () => {
    const address = await freshSchema()
    const fullTraining = { minInteractions: 6000, everySeconds: 0.2, checkpointSeconds: 0 }
    const more = {
      learning: { everyEvents: 1e9, everySeconds: 1e9, fullTraining },
      variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 32, loss: 'softmax' } }],
    }
    const other = await startOther(address, Infinity, more)
    const own = await start(address, more)
    await putItems(own)
    const walks = Array.from({ length: 6000 }, (_, at) => ({
      user: `user ${at % 300}`,
      item: `item ${((at % 300) + Math.floor(at / 300)) % 30}`,
    }))
    for (let at = 0; at < walks.length; at += 1000) {
      await own.service.record(walks.slice(at, at + 1000))
    }
    const saved = async () => (await own.service.store.snapshots('training', 'ren'))[0]
    await expect.poll(saved, { ...waits, interval: 20 }).toBeDefined()
    other.process.kill('SIGKILL')
    const { about } = (await saved())!
    const resumed = () => own.service.model.training().find(({ epoch }) => epoch > 0)
    await expect.poll(() => own.service.health().role, waits).toBe('learner')
    await expect.poll(resumed, waits).toMatchObject({ startedAt: about['startedAt'] })
    expect(resumed()!.epoch).toBeGreaterThanOrEqual(about['epoch'] as number)
    await own.service.model.cancelTraining()
  })

  it('when the learner cannot train because its thread keeps failing', async () => {
    const address = await freshSchema()
    // With the option of this script, which Node passes on to threads, a thread cannot load its file.
    const script = runScript(`
      process.argv.splice(1, 0, '', ${JSON.stringify(JSON.stringify({ store: address, ...settings }))}, '${leaseMs}')
      await import('./test/run-service.ts')
    `)
    scripts.push(script)
    expect(await script.nextLine()).toBe('learner')
    const own = await start(address)
    await putItems(own)
    const fed = Promise.withResolvers<void>()
    const ids = feed(own, 'failing', fed.promise)
    await expect.poll(() => own.service.health().role, waits).toBe('learner')
    await expect.poll(() => own.service.model.current()[0]!.version, waits).toBeGreaterThan(0)
    fed.resolve()
    await expectAll(own.service.store, await ids)
    expect(script.process.exitCode).toBe(null)
  })
})

describe.skipIf(!canStartPostgres)('a service that shares a store', () => {
  const alone = { learning: { enabled: false } }

  it('forgets a user whom another service erases, and so does the database', async () => {
    const address = await freshSchema()
    const [one, other] = [await start(address, alone), await start(address, alone)]
    await one.service.items.put([{ item: 'a' }])
    const { position } = await one.service.record([{ user: 'Ann Example', item: 'a' }])
    await other.service.recommend({ user: 'x', count: 1, record: false, afterPosition: position })
    expect(other.service.users.get('Ann Example')).not.toBeNull()
    await one.service.users.erase('Ann Example')
    await expect.poll(() => other.service.users.get('Ann Example'), { interval: 20 }).toBeNull()
    const dump = async () => dumpOf(await sharedPostgres(), /schema=(\w+)/.exec(address)![1]!)
    await expect.poll(dump, { timeout: 20_000, interval: 500 }).not.toContain('Ann Example')
  })

  it('starts again if it no longer finds out which user was erased', async () => {
    const address = await freshSchema()
    const [one, other] = [await start(address, alone), await start(address, alone)]
    await one.service.items.put([{ item: 'a' }])
    const { position } = await one.service.record([{ user: 'Ann Example', item: 'a' }])
    const recommend = (afterPosition: number) =>
      other.service.recommend({ user: 'x', count: 1, record: false, afterPosition })
    await recommend(position)
    // As if the other service had stood still for long.
    const schema = /schema=(\w+)/.exec(address)![1]!
    runSql(
      await sharedPostgres(),
      `create rule gone as on insert to ${schema}.erasures do instead nothing`,
    )
    const before = other.groups
    await one.service.users.erase('Ann Example')
    await expect.poll(() => other.groups === before, waits).toBe(false)
    expect(other.service.users.get('Ann Example')).toBeNull()
    expect(other.service.health()).toMatchObject({ ready: true })
  })

  it('rebuilds its state if the log is rewound', async () => {
    const address = await freshSchema()
    const schema = /schema=(\w+)/.exec(address)![1]!
    const [one, other] = [await start(address, alone), await start(address, alone)]
    await one.service.items.put([{ item: 'a' }, { item: 'b' }])
    const { position } = await one.service.record([
      { user: 'ann', item: 'a' },
      { user: 'bob', item: 'b' },
    ])
    await other.service.recommend({ user: 'x', count: 1, record: false, afterPosition: position })
    // The last event was lost in a failover, and another one has its position.
    runSql(
      await sharedPostgres(),
      `update ${schema}.events set stamp = stamp + 1, "user" = 'cem',
         payload = replace(payload, 'bob', 'cem') where position = ${position}`,
    )
    // The checksum is that of the other event.
    const { crc32 } = await import('node:zlib')
    const payload = runSql(
      await sharedPostgres(),
      `select payload from ${schema}.events where position = ${position}`,
    ).slice(0, -1)
    runSql(
      await sharedPostgres(),
      `update ${schema}.events set checksum = ${crc32(payload, crc32(''))} where position = ${position}`,
    )
    for (const { service: own } of [one, other]) {
      await expect.poll(() => own.users.get('cem')?.history.length, waits).toBe(1)
      expect(own.users.get('bob')).toBeNull()
      await expect.poll(() => own.health().ready, waits).toBe(true)
    }
    const { accepted } = await one.service.record([{ user: 'dan', item: 'a' }])
    expect(accepted).toBe(1)
  })

  it('waits for an event of another service if a request has its position', async () => {
    const address = await freshSchema()
    const services = [await start(address, alone), await start(address, alone)] as const
    const [{ service: one }, { service: other }] = services
    const items = Array.from({ length: 20 }, (_, at) => ({ item: `item ${at}` }))
    await one.items.put(items)
    const recommended = { user: 'ann', count: 20, record: false }
    for (const [at, { item }] of items.entries()) {
      const [writer, reader] = at % 2 === 0 ? [one, other] : [other, one]
      const { position } = await writer.record([{ user: 'ann', item }])
      const slate = await reader.recommend({ ...recommended, afterPosition: position })
      expect(slate.position).toBeGreaterThanOrEqual(position)
      expect(reader.users.get('ann')?.history.length).toBe(at + 1)
    }
    const later = (await one.store.head()) + 1
    const waiting = other.recommend({ ...recommended, afterPosition: later })
    await one.record([{ user: 'ann', item: 'item 0' }])
    expect((await waiting).position).toBe(later)
  })

  it('knows an item that another service has just added', async () => {
    const address = await freshSchema()
    const [one, other] = [await start(address, alone), await start(address, alone)]
    for (let at = 0; at < 5; at++) {
      await one.service.items.put([{ item: `new ${at}` }])
      const { rejected } = await other.service.record([{ user: 'ann', item: `new ${at}` }])
      expect(rejected).toEqual([])
    }
    const { rejected } = await other.service.record([{ user: 'ann', item: 'unknown' }])
    expect(rejected).toMatchObject([{ code: 'unknown-item' }])
    for (let at = 0; at < 5; at++) {
      const [item, pinned] = [`newer ${at}`, { item: `newer ${at}`, slot: 1 }]
      await one.service.items.put([{ item }])
      const { items } = await other.service.recommend({ user: 'ann', count: 1, pin: [pinned] })
      expect(items).toMatchObject([{ item }])
    }
  })

  it('refuses other settings, and names them', async () => {
    const address = await freshSchema()
    await start(address, alone)
    await expect(start(address, { ...alone, seed: 'other' })).rejects.toThrow(/seed: here other/)
  })
})
