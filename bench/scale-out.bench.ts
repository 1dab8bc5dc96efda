// Several services on one PostgreSQL store: appends, replay and requests relative to plain inserts and to SQLite,
// and how fast one service knows what another one did. The server is one of the tests', without syncs.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { createRandom } from '../src/core/random.ts'
import { mean } from '../src/core/statistics.ts'
import { openService } from '../src/service/index.ts'
import type { Service } from '../src/service/index.ts'
import { openStore } from '../src/storage/index.ts'
import type { EventStore, NewEvent } from '../src/storage/index.ts'
import { canStartPostgres, startPostgres, type PostgresServer } from '../test/postgres.ts'
import { describeMachine, median } from './measure.ts'
import type { Figure, FigureReport } from './measure.ts'

const rounds = 5
const writers = 4
const random = createRandom('scale-out bench')

export async function run(): Promise<FigureReport | void> {
  if (!canStartPostgres)
    return console.log('PostgreSQL is missing: node scripts/ensure-postgres.ts')
  const server = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'ren-bench-'))
  try {
    const file = join(folder, 'bench.db')
    const figures = [
      ...(await measureStores(server, file)),
      ...(await measureRequests(server, join(folder, 'served.db'))),
      ...(await measureTwo(server)),
      await measureVersions(server),
    ]
    return { machine: describeMachine(), figures }
  } finally {
    rmSync(folder, { recursive: true })
    await server.stop()
  }
}

const feedback = (): NewEvent => {
  const id = random.integer(2 ** 32).toString(36) + random.integer(2 ** 32).toString(36)
  const user = `user ${random.integer(10_000)}`
  const item = `item ${random.integer(1000)}`
  return {
    id,
    event: { kind: 'interaction', user, item, reward: 1, time: 1, recommendationId: id },
  }
}

const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Batches of 100 by four writers at once, and the replay of what they wrote. */
async function measureStores(server: PostgresServer, file: string): Promise<Figure[]> {
  const address = server.address('stores')
  const stores = await Promise.all(Array.from({ length: writers }, () => openStore(address)))
  const sqlite = await openStore(file)
  const plain = await openPlain(address)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const batches = Array.from({ length: 40 }, () => Array.from({ length: 100 }, feedback))
    const share = (writer: number) => batches.filter((_, at) => at % writers === writer)
    const ours = await milliseconds(() =>
      Promise.all(stores.map((store, writer) => appendAll(store, share(writer)))),
    )
    const theirs = await milliseconds(() =>
      Promise.all(plain.inserts.map((insert, writer) => insert(share(writer)))),
    )
    ratios.push(theirs / ours)
    for (const batch of batches) await sqlite.append(batch)
  }
  const replays: number[] = []
  for (let round = 0; round < rounds; round++) {
    const ofFile = await milliseconds(() => readAll(sqlite))
    replays.push(ofFile / (await milliseconds(() => readAll(stores[0]!))))
  }
  await plain.close()
  for (const store of [...stores, sqlite]) await store.close()
  return [
    ratio('append, 4 writers, batches of 100, over plain inserts', ratios, '≥ 0.6'),
    ratio('replay, events per second over SQLite', replays, '≥ 0.8'),
  ]
}

async function appendAll(store: EventStore, batches: readonly NewEvent[][]): Promise<void> {
  for (const batch of batches) await store.append(batch)
}

async function readAll(store: EventStore): Promise<void> {
  for await (const _ of store.read(0)) continue
}

/** Inserts of the same rows into a table with the same columns and indexes. */
async function openPlain(address: string) {
  const url = new URL(address)
  const clients = Array.from(
    { length: writers },
    () =>
      new Client({ host: url.searchParams.get('host')!, user: 'postgres', database: 'postgres' }),
  )
  for (const client of clients) {
    await client.connect()
    await client.query(`set search_path to ${url.searchParams.get('schema')}`)
  }
  await clients[0]!.query('create table plain (like events including all)')
  let position = 0
  const insert = async (client: Client, batch: readonly NewEvent[]): Promise<void> => {
    const first = (position += batch.length) - batch.length
    const column = (of: (event: NewEvent, at: number) => unknown): unknown[] => batch.map(of)
    const text = `insert into plain (position, stamp, id, kind, "user", recommendation, time, payload, checksum)
      select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[],
        $8::text[], $9::bigint[])`
    const user = ({ event }: NewEvent) => ('user' in event ? event.user : null)
    const values = [
      column((_, at) => first + at),
      column(() => first),
      column(({ id }) => id),
      column(({ event }) => event.kind),
      column(user),
      column(({ id }) => id),
      column(() => 1),
      column(({ event }) => JSON.stringify(event)),
      column(() => 1),
    ]
    await client.query({ name: 'insert', text, values })
  }
  return {
    inserts: clients.map((client) => async (batches: readonly NewEvent[][]) => {
      for (const batch of batches) await insert(client, batch)
    }),
    close: () => Promise.all(clients.map((client) => client.end())),
  }
}

const atRest = { everyEvents: 1_000_000, everySeconds: 86_400 }

async function open(store: string, items: number): Promise<Service> {
  const onLogMessage = () => {}
  const learning = { ...atRest, fullTraining: { enabled: false } }
  const service = await openService({ store, learning, snapshots: atRest, onLogMessage })
  for (let from = service.items.count; from < items; from += 1000) {
    const count = Math.min(1000, items - from)
    await service.items.put(
      Array.from({ length: count }, (_, at) => ({ item: `item ${from + at}` })),
    )
  }
  return service
}

/** The processor time of recommendations. */
async function measureRequests(server: PostgresServer, file: string): Promise<Figure[]> {
  const shared = await open(server.address('requests'), 1000)
  const alone = await open(file, 1000)
  const cost = async (service: Service): Promise<number> => {
    const before = process.cpuUsage()
    for (let i = 0; i < 300; i++) await service.recommend({ user: anyUser(), count: 10 })
    await setTimeout(50)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const one = await cost(alone)
    ratios.push((await cost(shared)) / one)
  }
  await shared.close()
  await alone.close()
  return [ratio('processor time of a recommendation, over SQLite', ratios, '≤ 1.1')]
}

const anyUser = (): string => `user ${random.integer(500)}`

/** What one service does, until the other one knows. */
async function measureTwo(server: PostgresServer): Promise<Figure[]> {
  const learner = await open(server.address('two'), 1000)
  const other = await open(server.address('two'), 1000)
  const [plain, after, known, served] = [[], [], [], []] as number[][]
  const take = async () => {
    const { position } = await learner.record([{ user: anyUser(), item: 'item 1', reward: 1 }])
    return position
  }
  for (let round = 0; round < 100; round++) {
    await take()
    await setTimeout(5)
    plain!.push(await milliseconds(() => other.recommend({ user: anyUser(), count: 10 })))
    const afterPosition = await take()
    const request = { user: anyUser(), count: 10, afterPosition }
    after!.push(await milliseconds(() => other.recommend(request)))
    const position = await take()
    known!.push(await milliseconds(() => until(() => other.position >= position)))
  }
  for (let round = 0; round < rounds; round++) {
    for (let event = 0; event < 100; event++) await take()
    await learner.model.train()
    const [now] = learner.model.current()
    served!.push(
      await milliseconds(() => until(() => other.model.current()[0]!.version >= now!.version)),
    )
  }
  await other.close()
  await learner.close()
  return [
    { figure: 'recommendation, without HTTP', value: median(plain!), unit: 'ms' },
    {
      figure: 'recommendation with afterPosition, over one without',
      value: median(after!) / median(plain!),
      unit: '×',
      bar: '≤ 2',
    },
    { figure: 'the same, 99th percentile', value: percentile99(after!), unit: 'ms', bar: '≤ 50' },
    {
      figure: 'until the other service knows an event',
      value: median(known!),
      unit: 'ms',
      bar: '≤ 20',
    },
    {
      figure: 'until it serves new weights, longest',
      value: Math.max(...served!),
      unit: 'ms',
      bar: '≤ 500',
    },
  ]
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate()
}

const percentile99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!

/** The mean size of versions, relative to all weights. */
async function measureVersions(server: PostgresServer): Promise<Figure> {
  const service = await open(server.address('versions'), 200_000)
  const events = Array.from({ length: 300 }, () => {
    return { user: anyUser(), item: `item ${random.integer(200_000)}`, reward: 1 }
  })
  await service.record(events)
  for (let i = 0; i < 3; i++) await service.model.train()
  const [scope] = await service.store.snapshotScopes('weights')
  const sizes = (await service.store.snapshots('weights', scope!)).map(({ bytes }) => bytes)
  await service.close()
  const whole = Math.max(...sizes)
  const value = mean(sizes) / whole
  return {
    figure: 'bytes of a version, 200,000 items, over all weights',
    value,
    unit: '×',
    bar: '≤ 0.1',
  }
}

const ratio = (figure: string, values: readonly number[], bar: string): Figure => ({
  figure,
  value: median(values),
  unit: '×',
  bar,
})
