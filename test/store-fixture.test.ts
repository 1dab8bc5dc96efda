// Store files of earlier versions open with the current code, and nothing is lost. Each fixture is a
// store that the code of one commit wrote, with a record of its contents; the script
// test/fixtures/make-store-<commit>.ts wrote both.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import type {
  ItemInfo,
  ModelVersion,
  ServedRecommendation,
  Service,
  ServiceSettings,
  TrainingStatus,
  UserInfo,
} from 'ren-recommender/service'
import { openStore, restoreStore } from 'ren-recommender/storage'
import type {
  EventStore,
  SnapshotInfo,
  StoredEvent,
  StoredItem,
  StoredKey,
} from 'ren-recommender/storage'
import { describe, expect, it, vi } from 'vitest'
import { shortened } from '../src/service/log/journal.ts'
import { closeServices, startService } from './services.ts'
import type { TestService } from './services.ts'
import { temporaryFiles } from './temporary-files.ts'

type Terms = Readonly<Record<string, string>>

const currentKinds: Terms = {
  'user-forgotten': 'user-erased',
  served: 'recommendation',
  feedback: 'interaction',
  seen: 'impressions',
}
const currentFields: Terms = { arm: 'variant', arms: 'variants', takes: 'interactions' }

const viewNames = ['saved', 'onlyA', 'onlyB'] as const
const format1 = readFixture('ec9ab3e')
const format2 = readFixture('94d8d4b')
const format3 = readFixture('8eb21ab')
const fixtures = [normalizeFormat1(format1), format2, format3]
const fixtureViews = fixtures.flatMap((fixture) =>
  viewNames.map((view) => ({ fixture, view, commit: fixture.commit })),
)

function readFixture(commit: string): Fixture {
  const read = (end: string): Buffer =>
    readFileSync(join(import.meta.dirname, 'fixtures', `store-${commit}.${end}`))
  const recorded = JSON.parse(read('json').toString(), inCurrentTerms) as Recorded
  return { commit, bytes: gunzipSync(read('db.gz')), recorded }
}

/** Renames fields and kinds, because the fixtures have earlier names. */
function inCurrentTerms(key: string, value: unknown): unknown {
  if (key === 'versions') return (value as object[]).map(withCurrentOrigin)
  if (key === 'kind') return currentKinds[value as string] ?? value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [currentFields[name] ?? name, field as unknown]),
  )
}

/** The store retains the earlier name of the origin; only the API has a new one. */
function withCurrentOrigin(version: object): object {
  const isOld = 'origin' in version && version.origin === 'learnt'
  return isOld ? { ...version, origin: 'fine-tuned' } : version
}

/**
 * The record in the format of the current code; a new store format changes only this function. The
 * service rebuilds states of format 1 from the log. Versions of that format have no full training and
 * no quality figures.
 */
function normalizeFormat1(fixture: Fixture): Fixture {
  const { recorded } = fixture
  const none = { quality: null, live: null, trainedOn: null }
  const views = Object.entries(recorded.views).map(([name, view]) => {
    const versions = view.contents.versions.map((version) => ({ ...version, ...none }))
    return [name, { ...view, contents: { ...view.contents, versions } }]
  })
  return { ...fixture, recorded: { ...recorded, views: Object.fromEntries(views) as Views } }
}

/** Kills its process after 20 rewritten events or items, before the migration commits. */
const killedMigration = `
  const folder = ${JSON.stringify(join(import.meta.dirname, '../src/storage/sqlite'))}
  const { openDatabase } = await import(folder + '/database.ts')
  const { migrate } = await import(folder + '/migrations.ts')
  const database = openDatabase(process.env.STORE, { readOnly: false, patience: 1000 })
  database.exec('pragma journal_mode = wal; pragma cache_size = 1')
  let left = 20
  const prepare = database.prepare.bind(database)
  database.prepare = (sql) => {
    const statement = prepare(sql)
    const run = (...values) => {
      if (/^update (events|items)/.test(sql.trimStart()) && left-- === 0) process.kill(process.pid, 'SIGKILL')
      return statement.run(...values)
    }
    return { ...statement, run }
  }
  migrate(database)
`

/** The contents as the version that wrote the file reads them. */
function contentsOfFile(path: string): Readonly<Record<string, unknown>> {
  const database = new DatabaseSync(path)
  const tables = ['migrations', 'log', 'events', 'items', 'marks', 'keys', 'snapshots']
  const contents = Object.fromEntries(
    tables.map((table) => [table, database.prepare(`select * from ${table}`).all()]),
  )
  database.close()
  return contents
}

const files = temporaryFiles()
closeServices()

describe.each(fixtures)('the store of $commit', (fixture) => {
  const { bytes, recorded } = fixture
  const { store: expected, views } = recorded

  it('is the file that the record describes', () => {
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(recorded.sha256)
  })

  it('contains every event, with its position and id', async () => {
    const { head, events } = await readStore(files.write(bytes), readLog)
    expect({ head, events }).toEqual(expectedLog(fixture))
    expect(events.map(({ position }) => position)).toEqual(events.map((_, i) => i + 1))
  })

  it('finds its events by id, by user and by recommendation', async () => {
    await readStore(files.write(bytes), async (store) => {
      for (const { id, ...event } of expected.events) {
        if (id === undefined) continue
        expect(await store.event(id)).toEqual({ id, ...event })
        expect(await store.feedbackOn(id)).toEqual(
          withValue(expected.events, 'recommendationId', id),
        )
      }
      for (const { user } of views.saved.contents.users) {
        const events = withValue(expected.events, 'user', user)
        expect(await store.eventsOf(user, { limit: 1000 })).toEqual(events.toReversed())
      }
    })
  })

  it('contains every key, import mark and catalog entry', async () => {
    expect(await readStore(files.write(bytes), (store) => readTables(store, fixture))).toEqual({
      keys: expected.keys,
      marks: expected.marks,
      catalog: expected.catalog,
    })
  })

  it('lists every snapshot, with the same bytes in those that are readable', async () => {
    expect(await readStore(files.write(bytes), (store) => readSnapshots(store, fixture))).toEqual(
      expected.snapshots,
    )
  })

  it('can be restored as a backup, and nothing is lost', async () => {
    const restored = join(dirname(files.write(bytes)), `restored-${fixture.commit}.db`)
    await restoreStore(files.write(bytes), restored)
    expect(await readStore(restored, readLog)).toEqual(expectedLog(fixture))
    expect(await readStore(restored, (store) => readSnapshots(store, fixture))).toEqual(
      expected.snapshots,
    )
  })

  it('stays readable by its own version after a killed migration, and migrates afterwards', async () => {
    const path = files.write(bytes)
    const before = contentsOfFile(path)
    const killed = spawnSync(process.execPath, ['--input-type=module', '-e', killedMigration], {
      env: { ...process.env, STORE: path },
    })
    expect(killed.signal).toBe('SIGKILL')
    expect(contentsOfFile(path)).toEqual(before)
    expect(await readStore(path, readLog)).toEqual(expectedLog(fixture))
  })

  it.each(viewNames)('has the same items, users, variants and versions: %s', async (name) => {
    const { service, logMessages } = await open(fixture, name)
    expect(await describeService(service)).toEqual(views[name].contents)
    expect(logMessages).toEqual([])
  })

  it('starts from the newest weights, and from the newest states if they have the current format', async () => {
    const store = await openStore(files.write(bytes))
    const ids: number[] = []
    const readSnapshot: EventStore['readSnapshot'] = (id) => {
      ids.push(id)
      return store.readSnapshot(id)
    }
    const { service } = await open(fixture, 'saved', { store: { ...store, readSnapshot } })
    const newest = kindsToStartFrom(fixture).flatMap((kind) =>
      variantNames(fixture).map((variant) => {
        return expected.snapshots.find((one) => one.scope === variant && one.kind === kind)!.id
      }),
    )
    expect(ids.toSorted(ascending)).toEqual(newest.toSorted(ascending))
    const data = service.data()
    const seen = service.excludeSeen()
    await service.close()
    ids.splice(0)
    const { service: again } = await open(fixture, 'saved', { store: { ...store, readSnapshot } })
    expect(ids).toHaveLength(savedKinds(fixture).length * variantNames(fixture).length)
    expect(again.data()).toEqual(data)
    expect(again.excludeSeen()).toEqual(seen)
    await again.close()
    await store.close()
  })

  it('counts the interactions of its log', async () => {
    const { service } = await open(fixture, 'saved')
    const { interactions, eventsPerDay } = service.data()
    const given = expected.events.filter(({ event }) => event.kind === 'interaction')
    const liked = given.filter(({ event }) => event.kind === 'interaction' && event.reward > 0)
    const erased = expected.events.flatMap(({ event }) =>
      event.kind === 'erased' ? event.interactions.map(([, count]) => count) : [],
    )
    const total = liked.length + erased.reduce((sum, count) => sum + count, 0)
    expect(interactions).toBe(total)
    // Format 1 does not contain the days of erased interactions.
    const dated = fixture.commit === format1.commit ? liked.length : total
    expect(eventsPerDay.reduce((sum, { count }) => sum + count, 0)).toBe(dated)
    expect(service.excludeSeen().interactions).toBeGreaterThan(0)
  })

  it('does not contain the names of erased users, before or after opening', async () => {
    const path = files.write(bytes)
    const { service } = await open(fixture, 'saved', { store: path })
    await service.close()
    for (const file of [bytes, readFileSync(path)]) {
      for (const name of recorded.erased) expect(file.includes(name)).toBe(false)
    }
  })
})

describe('slates from an earlier store', () => {
  it.each(fixtureViews)(
    'are the same to seven digits: $commit, $view',
    async ({ fixture, view }) => {
      const { service } = await open(fixture, view)
      expect(await describeSlates(service, fixture)).toEqual(slatesIn(fixture, view))
    },
  )

  it.each(fixtures)(
    'are the same to seven digits where the service learns: $commit',
    async (fixture) => {
      const { service } = await open(fixture, 'saved', { learning: manual })
      expect(await describeSlates(service, fixture)).toEqual(slatesIn(fixture, 'saved'))
    },
  )
})

describe.each(fixtures)('a service that continues from the store of $commit', (fixture) => {
  const { bytes, recorded } = fixture
  const { store: expected, views } = recorded

  it('has the same contents with training enabled, and trains the next version', async () => {
    const path = files.write(bytes)
    const { service, logMessages } = await open(fixture, 'saved', { store: path, learning: manual })
    expect(await describeService(service)).toEqual(views.saved.contents)
    const outcomes = await service.model.train()
    const next = views.saved.contents.current.map(({ group, version }) => ({
      group,
      version: version + 1,
    }))
    expect(outcomes.map(({ group, version }) => ({ group, version }))).toEqual(next)
    expect(currentVersions(service)).toEqual(next)
    expect(logMessages).toEqual([])
    await service.close()
    expect(await readStore(path, readLog)).toEqual(expectedLog(fixture))
  })

  it('has the same contents and slates after reopening', async () => {
    const path = files.write(bytes)
    const first = await open(fixture, 'saved', { store: path })
    await first.service.close()
    const again = await open(fixture, 'saved', { store: path })
    expect(await describeService(again.service)).toEqual(views.saved.contents)
    expect(await describeSlates(again.service, fixture)).toEqual(slatesIn(fixture, 'saved'))
    expect(again.logMessages).toEqual([])
    await again.service.close()
    expect(await readStore(path, readLog)).toEqual(expectedLog(fixture))
    const { keys, marks, catalog } = expected
    expect(await readStore(path, (store) => readTables(store, fixture))).toEqual({
      keys,
      marks,
      catalog,
    })
    const snapshots = await readStore(path, (store) => readSnapshots(store, fixture))
    expect(snapshots.filter(isWeights)).toEqual(expected.snapshots.filter(isWeights))
    // The events after the newest saved state are in a new state now.
    const positions = snapshots.filter((one) => !isWeights(one)).map(({ position }) => position)
    expect(Math.max(...positions)).toBe(expected.head)
  })

  it('records more events after the last one', async () => {
    const { service } = await open(fixture, 'saved')
    const { position } = await service.record([{ user: 'user-00', item: 'film-00' }])
    expect(position).toBe(expected.head + 1)
    const repeated = expected.events.find(({ id }) => id === 'feedback twice')!
    const report = await service.record([{ id: 'twice', user: 'user-03', item: 'film-02' }])
    expect(report).toMatchObject({ position: repeated.position, accepted: 0, repeated: 1 })
  })
})

describe('full training from the store of 94d8d4b', () => {
  it('resumes the interrupted run from its checkpoint', async () => {
    const { about } = format2.recorded.store.snapshots.find(({ kind }) => kind === 'training')!
    const fullTraining = { minInteractions: 1, everySeconds: 1e6, checkpointSeconds: 1e6 }
    const learning = { ...manual, fullTraining }
    const { service } = await open(format2, 'saved', { learning })
    const run = await vi.waitUntil(() => service.model.training().find(isUnderWay), {
      timeout: 5000,
    })
    expect(run).toMatchObject({ group: 'b', startedAt: about['startedAt'] })
    expect(run.epoch).toBeGreaterThanOrEqual(about['epoch'] as number)
    await service.model.cancelTraining('b')
  })
})

const isUnderWay = ({ state, epoch }: TrainingStatus): boolean => state === 'running' && epoch > 0

/** The service trains only when a test calls `train`. */
const manual = {
  enabled: true,
  everyEvents: 1e9,
  everySeconds: 1e9,
  fullTraining: { enabled: false },
}

/** The recorded slates have only rewarded items in A_t. */
const designMatrix = 'rewarded'
/** The recorded weights are today's defaults on another scale: to the last bit only on that scale. */
const recordedWeights = ({ relevance }: Recorded['settings']) => ({
  designMatrix,
  ...(relevance === 'blend' && { explorationWeight: 0.1, typicalBonus: 1, newItemWeight: 45 }),
})
/** An exploration weight of 0. */
const greedyChoice = { policy: 'ren', settings: { explorationWeight: 0, designMatrix } } as const

/** Opens a copy of the store with the shares of a view. Learning is disabled by default. */
function open(
  { bytes, recorded }: Fixture,
  view: ViewName,
  changes: Partial<ServiceSettings> = {},
): Promise<TestService> {
  const { shares } = recorded.views[view]
  return startService({
    store: changes.store ?? files.write(bytes),
    ...recorded.settings,
    variants: recorded.settings.variants.map((variant, i) => ({
      ...variant,
      share: shares[i]!,
      ...(variant.method === 'ren-g' && {
        settings: { ...variant.settings, ...recordedWeights(recorded.settings) },
      }),
    })),
    clock: () => recorded.now,
    ...changes,
  })
}

const variantNames = ({ recorded }: Fixture): readonly string[] =>
  recorded.settings.variants.map(({ name }) => name)

/** The kinds of snapshots that a service with these settings saves. */
const savedKinds = ({ recorded }: Fixture): readonly SnapshotInfo['kind'][] =>
  recorded.settings.relevance === 'blend' ? ['weights', 'state', 'quality'] : ['weights', 'state']

/** States of format 1 contain neither repeats nor the items of trimmed histories; the log does. */
const kindsToStartFrom = (fixture: Fixture): readonly SnapshotInfo['kind'][] =>
  fixture.commit === format1.commit ? ['weights'] : savedKinds(fixture)

async function readStore<T>(path: string, read: (store: EventStore) => Promise<T>): Promise<T> {
  const store = await openStore(path)
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}

async function readLog(store: EventStore): Promise<Pick<RecordedStore, 'head' | 'events'>> {
  const events = (await Array.fromAsync(store.read(0))).flat()
  return { head: await store.head(), events }
}

function expectedLog({ recorded }: Fixture): Pick<RecordedStore, 'head' | 'events'> {
  const { head, events } = recorded.store
  return { head, events }
}

async function readTables(
  store: EventStore,
  { recorded }: Fixture,
): Promise<Pick<RecordedStore, 'keys' | 'marks' | 'catalog'>> {
  const names = Object.keys(recorded.store.marks)
  const marks = await Promise.all(names.map(async (name) => [name, await store.mark(name)]))
  return {
    keys: await store.keys(),
    marks: Object.fromEntries(marks) as RecordedStore['marks'],
    catalog: await store.items({ limit: 1000 }),
  }
}

async function readSnapshots(
  store: EventStore,
  fixture: Fixture,
): Promise<RecordedStore['snapshots']> {
  const all: RecordedSnapshot[] = []
  for (const kind of ['weights', 'state', 'training', 'quality'] as const) {
    for (const variant of variantNames(fixture)) {
      for (const info of await store.snapshots(kind, variant)) {
        all.push({ ...info, sha256: info.readable ? await digest(store, info) : null })
      }
    }
  }
  return all
}

async function digest(store: EventStore, { id }: SnapshotInfo): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of store.readSnapshot(id)) hash.update(part)
  return hash.digest('hex')
}

async function describeService(service: Service): Promise<Contents> {
  const versions = await service.model.versions()
  return {
    position: service.position,
    items: service.items.list({ limit: 1000 }).entries,
    users: userNames(service).map((user) => service.users.get(user, 1000)!),
    variants: service.compareVariants().variants.map(({ variant, users, slates, reward }) => {
      return { variant, users, slates, reward }
    }),
    current: currentVersions(service),
    versions: versions.map(withoutRollingFigures).toSorted(byGroupThenNewest),
  }
}

/** The recorded slates. They have all digits, while responses have seven. */
const slatesIn = ({ recorded }: Fixture, view: ViewName): readonly Slate[] =>
  recorded.views[view].slates.map((slate) => ({
    ...slate,
    items: shortened(slate.items),
    greedy: shortened(slate.greedy),
  }))

/** The next slate of every user, and of two users without events; nothing is recorded. */
async function describeSlates(service: Service, { commit }: Fixture): Promise<readonly Slate[]> {
  const slates: Slate[] = []
  for (const user of [...userNames(service), 'unknown-1', 'unknown-2']) {
    const request = { user, count: 3, record: false }
    const { recommendationId: _, weights, ...usual } = await service.recommend(request)
    const { items: greedy } = await service.recommend({ ...request, exploration: greedyChoice })
    // The first fixture is older than the field `weights` of responses.
    const given = commit === format1.commit ? {} : { weights }
    slates.push({ user, ...usual, ...given, greedy })
  }
  return slates
}

const userNames = (service: Service): readonly string[] =>
  service.users.list({ limit: 1000 }).entries.map(({ user }) => user)

const currentVersions = (service: Service): Contents['current'] =>
  service.model.current().map(({ group, version }) => ({ group, version }))

/** Fields that depend on the clock. */
function withoutRollingFigures(version: ModelVersion): Version {
  const { reward: _, slates: __, ...facts } = version
  return facts
}

const byGroupThenNewest = (one: Version, other: Version): number =>
  one.group === other.group ? other.version - one.version : one.group < other.group ? -1 : 1

const isWeights = ({ kind }: SnapshotInfo): boolean => kind === 'weights'

const ascending = (one: number, other: number): number => one - other

/** The events with this value of a field. */
function withValue(
  events: readonly StoredEvent[],
  name: 'user' | 'recommendationId',
  value: string,
): readonly StoredEvent[] {
  return events.filter(
    ({ event }) => (event as { user?: string; recommendationId?: string })[name] === value,
  )
}

interface Fixture {
  readonly commit: string
  /** The store file. */
  readonly bytes: Buffer
  readonly recorded: Recorded
}

interface Recorded {
  readonly settings: Omit<ServiceSettings, 'store' | 'variants'> &
    Required<Pick<ServiceSettings, 'variants'>>
  /** The clock of the service when the record was written. */
  readonly now: number
  /** The SHA-256 of the store file. */
  readonly sha256: string
  /** Names of users who were erased. */
  readonly erased: readonly string[]
  readonly store: RecordedStore
  readonly views: Views
}

type Views = Readonly<Record<ViewName, View>>

interface RecordedStore {
  readonly head: number
  readonly keys: readonly StoredKey[]
  readonly marks: Readonly<Record<string, string>>
  /** By kind, then by variant, newest first. */
  readonly snapshots: readonly RecordedSnapshot[]
  readonly catalog: readonly StoredItem[]
  readonly events: readonly StoredEvent[]
}

interface RecordedSnapshot extends SnapshotInfo {
  /** The hash of its bytes; null if they were dropped. */
  readonly sha256: string | null
}

/**
 * `saved` has the shares of the saved states. With other shares, the service reads the whole log, and
 * every user is in one variant.
 */
type ViewName = (typeof viewNames)[number]

interface View {
  readonly shares: readonly number[]
  readonly contents: Contents
  readonly slates: readonly Slate[]
}

interface Contents {
  readonly position: number
  readonly items: readonly ItemInfo[]
  readonly users: readonly UserInfo[]
  readonly variants: readonly {
    readonly variant: string
    readonly users: number
    readonly slates: number
    readonly reward: number | null
  }[]
  readonly current: readonly { readonly group: string; readonly version: number }[]
  readonly versions: readonly Version[]
}

type Version = Omit<ModelVersion, 'reward' | 'slates'>

interface Slate extends Omit<ServedRecommendation, 'recommendationId' | 'weights'> {
  readonly weights?: ServedRecommendation['weights']
  readonly user: string
  /** The slate with an exploration weight of 0. */
  readonly greedy: ServedRecommendation['items']
}
