import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { closeServices, copyOfLog, describeState, startService } from '../../test/services.ts'
import type { TestService } from '../../test/services.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { createMemoryStore, openSqliteStore, type EventStore } from '../storage/index.ts'
import { openService } from './open-service.ts'
import type { Service } from './service.ts'
import type { ServiceSettings } from './settings.ts'

closeServices()
const { folder } = temporaryFiles()
let files = 0
const newFile = () => join(folder, `store-${files++}.db`)

const variants: NonNullable<ServiceSettings['variants']> = [
  { name: 'ren', method: 'ren-g', settings: { dimension: 4 } },
  { name: 'greedy', method: 'gru4rec', settings: { dimension: 4 } },
]
const users = ['ann', 'bob', 'cem', 'dan', 'eve']

/** Records slates, feedback, corrections, catalog changes, a merge and an erasure. */
async function live({ service }: TestService): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (const [i, user] of users.entries()) {
      const { recommendationId, items } = await service.recommend({ user, count: 3 })
      const answer = { user, recommendationId: recommendationId! }
      const item = items[(i + round) % items.length]!.item
      await service.record([{ ...answer, item, reward: (i + round) % 3 }])
      if (round === 2) await service.record([{ ...answer, impressions: [item] }])
    }
    await service.items.put([
      { item: `new ${round}`, attributes: { round } },
      { item: `like ${round}`, like: ['a', 'b'] },
      { item: `at ${round}`, embedding: [0.1, 0.2, 0.3, round] },
    ])
    if (round === 1) await service.items.remove(['a', 'new 0'])
    if (round === 2) await service.items.put([{ item: 'a' }])
    if (round === 2) await service.users.merge('dan', 'ann')
  }
  await service.users.erase('bob')
  await service.record([{ user: 'cem', item: 'like 1' }])
}

const recommend = (service: Service) =>
  Promise.all(
    [...users, 'new'].map(async (user) => {
      const { items, variant } = await service.recommend({ user, count: 4, record: false })
      return { variant, items }
    }),
  )

type Models = 'own' | 'shared'
const stores: [string, () => string | EventStore, Models[]][] = [
  ['a file', newFile, ['own']],
  ['memory', createMemoryStore, ['own', 'shared']],
]

describe.each(stores)('a service on %s', (_, newStore, both) => {
  it.each(both)('continues after a restart with %s models', async (models) => {
    const store = newStore()
    const first = await startService({ store, variants, models })
    await live(first)
    const [before, slates] = [describeState(first.service), await recommend(first.service)]
    const { position } = first.service
    await first.service.close()
    const second = await startService({ store, variants, models })
    expect(second.service.position).toBe(position)
    expect(describeState(second.service)).toEqual(before)
    expect(await recommend(second.service)).toEqual(slates)
    expect(second.service.items.list({ limit: 100 })).toMatchObject({ next: null })
    expect([...first.logMessages, ...second.logMessages]).toEqual([])
  })

  it.each(both)('equals a replay of its log with %s models', async (models) => {
    const { service } = await startService({ store: newStore(), variants, models })
    await live({ service } as TestService)
    await expect.poll(() => service.store.head()).toBe(service.position)
    const replay = await startService({ store: await copyOfLog(service.store), variants, models })
    expect(describeState(replay.service)).toEqual(describeState(service))
  })

  it('splits its users between variants with separate counts', async () => {
    const { service } = await startService({ store: newStore(), variants })
    await live({ service } as TestService)
    const { entries } = service.users.list({ limit: 10 })
    expect(new Set(entries.map(({ variant }) => variant)).size).toBe(2)
    for (const { user, variant } of entries) {
      expect((await service.recommend({ user, count: 1 })).variant).toBe(variant)
    }
    const groups = Object.values(describeState(service)) as { impressions: number[] }[]
    const totals = groups.map(({ impressions }) => impressions.reduce((a, b) => a + b, 0))
    expect(Math.min(...totals)).toBeGreaterThan(0)
    const listed = service.items.list({ limit: 100 }).entries
    expect(listed.reduce((sum, { impressions }) => sum + impressions, 0)).toBeLessThanOrEqual(
      totals.reduce((a, b) => a + b, 0),
    )
  })

  it('refuses a second service, and releases the store at its end', async () => {
    const store = newStore()
    const first = await startService({ store })
    await expect(startService({ store })).rejects.toMatchObject({ code: 'store-in-use' })
    await first.service.close()
    const next = await startService({ store })
    expect(next.service.items.count).toBe(6)
  })

  it('refuses every call after it is closed', async () => {
    const { service } = await startService({ store: newStore() })
    void service.recommend({ user: 'ann', count: 1 })
    const [one, two] = [service.close(), service.close()]
    expect(one).toBe(two)
    await one
    const closed = { code: 'service-closed' }
    await expect(service.recommend({ user: 'ann', count: 1 })).rejects.toMatchObject(closed)
    await expect(service.record([])).rejects.toMatchObject(closed)
    await expect(service.recommendation('x')).rejects.toMatchObject(closed)
    await expect(service.items.put([])).rejects.toMatchObject(closed)
    await expect(service.items.remove([])).rejects.toMatchObject(closed)
    await expect(service.users.merge('a', 'b')).rejects.toMatchObject(closed)
    await expect(service.users.erase('a')).rejects.toMatchObject(closed)
    await expect(service.model.train()).rejects.toMatchObject(closed)
    await expect(service.model.versions()).rejects.toMatchObject(closed)
    await expect(service.model.rollBack(1)).rejects.toMatchObject(closed)
    for (const call of [
      () => service.items.get('a'),
      () => service.items.list({ limit: 1 }),
      () => service.items.similar('a', 1),
      () => service.users.get('ann'),
      () => service.users.list({ limit: 1 }),
      () => service.model.current(),
      () => service.metrics(),
      () => service.compareVariants(),
    ]) {
      expect(call).toThrow(expect.objectContaining(closed))
    }
    expect(service.health()).toMatchObject({ live: false, ready: false })
  })
})

describe('a service with other writers', () => {
  it('applies their events in order with its own', async () => {
    const path = newFile()
    const { service } = await startService({ store: path })
    const other = await openSqliteStore(path)
    const feedback = { kind: 'interaction', user: 'ann', item: 'a', reward: 1, time: 1 } as const
    await other.append([{ event: feedback }])
    await expect.poll(() => service.position).toBe(2)
    await other.append([{ event: { ...feedback, item: 'b' } }])
    await service.record([{ user: 'ann', item: 'c' }])
    expect(service.users.get('ann')?.history.map(({ item }) => item)).toEqual(['c', 'b', 'a'])
    const put = {
      kind: 'items-put',
      items: [{ item: 'z', attributes: { x: 1 } }],
      time: 1,
    } as const
    const { head } = await other.append([{ event: put }])
    const served = await service.recommend({
      user: 'ann',
      count: 1,
      filter: { attribute: 'x', equals: 1 },
      afterPosition: head,
    })
    expect(served.items.map(({ item }) => item)).toEqual(['z'])
    await other.close()
  })

  it('skips invalid events with a warning, live and in a replay', async () => {
    const store = createMemoryStore()
    const { service, logMessages } = await startService({ store })
    const time = 1
    await store.append([
      { event: { kind: 'interaction', user: 'ann', item: 'unknown', reward: 1, time } },
      { event: { kind: 'interaction', user: 'ann', item: 'a', reward: 1e9, time } },
      { event: { kind: 'no-such-kind' } as never },
      { event: { kind: 'items-put', items: [{ item: 'z', like: ['unknown'] }], time } },
      { event: { kind: 'items-put', items: [{ item: 'y', embedding: [1] }], time } },
      { event: { kind: 'recommendation', user: 'ann' } as never },
      { event: { kind: 'interaction', user: 'ann', item: 'z', reward: 1, time } },
    ])
    await expect.poll(() => service.position).toBe(8)
    expect(logMessages.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^event 2 of the log is skipped by ren: no item is called "unknown"/),
      expect.stringMatching(/^event 3 of the log is skipped by ren: .*reward/),
      expect.stringMatching(/^event 4 of the log is skipped: its kind no-such-kind is unknown/),
      expect.stringMatching(/^event 5 of the log is skipped by ren: .*"unknown"/),
      expect.stringMatching(/^event 6 of the log is skipped by ren: /),
      expect.stringMatching(/^event 7 of the log is skipped by ren: /),
    ])
    expect(service.users.get('ann')?.history.map(({ item }) => item)).toEqual(['z'])
    expect(service.items.get('y')).not.toBeNull()
    const replay = await startService({ store: await copyOfLog(store) })
    expect(describeState(replay.service)).toEqual(describeState(service))
    expect(replay.logMessages).toEqual(logMessages)
  })
})

describe('damage', () => {
  async function saved(): Promise<{ path: string; state: unknown }> {
    const path = newFile()
    const test = await startService({ store: path, variants })
    await live(test)
    await test.service.close()
    const again = await startService({ store: path, variants })
    await again.service.record([{ user: 'ann', item: 'b' }])
    const state = describeState(again.service)
    await again.service.close()
    return { path, state }
  }

  const change = (path: string, sql: string): void => {
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
  }

  it('to the newest state makes the service use the previous one', async () => {
    const { path, state } = await saved()
    change(
      path,
      `UPDATE snapshot_pieces SET bytes = zeroblob(length(bytes))
       WHERE snapshot = (SELECT max(id) FROM snapshots)`,
    )
    const { service, logMessages } = await startService({ store: path, variants })
    expect(describeState(service)).toEqual(state)
    expect(logMessages).toEqual([
      expect.objectContaining({ level: 'warning', code: 'snapshot-damaged' }),
    ])
  })

  it('to the attributes of an item is an error that names it, unless skipDamaged is set', async () => {
    const path = newFile()
    const first = await startService({ store: path })
    await first.service.items.put([{ item: 'tea', attributes: { hot: true } }])
    await first.service.close()
    change(path, `UPDATE items SET attributes = '{"hot":' WHERE item = 'tea'`)
    await expect(startService({ store: path })).rejects.toMatchObject({
      code: 'store-damaged',
      message: 'the attributes of item "tea" are damaged',
    })
    const { service, logMessages } = await startService({ store: path, skipDamaged: true })
    expect(logMessages).toContainEqual({
      level: 'error',
      message: 'the damaged attributes of item tea are skipped',
    })
    await service.items.put([{ item: 'tea', attributes: { hot: true } }])
    await service.close()
    const repaired = await startService({ store: path })
    expect(repaired.service.items.get('tea')?.attributes).toEqual({ hot: true })
  })

  it('to the log is an error that names the position, unless skipDamaged is set', async () => {
    const path = newFile()
    const first = await startService({ store: path })
    await first.service.record(['a', 'b', 'c'].map((item) => ({ user: 'ann', item })))
    await first.service.close()
    change(path, `DELETE FROM snapshots`)
    change(path, `UPDATE events SET payload = '{"kind":' WHERE position = 3`)
    await expect(startService({ store: path })).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringMatching(/\b3\b/),
    })
    const { service, logMessages } = await startService({ store: path, skipDamaged: true })
    expect(service.users.get('ann')?.history.map(({ item }) => item)).toEqual(['c', 'a'])
    expect(logMessages.map(({ message }) => message)).toEqual([expect.stringMatching(/^event 3 /)])
  })
})

describe('changed settings', () => {
  it('split the users again in a replay of the log, with unchanged counts', async () => {
    const store = createMemoryStore()
    const first = await startService({ store, variants })
    await live(first)
    for (const user of ['ann', 'cem']) await first.service.users.erase(user)
    const countsOf = ({ service }: TestService) => service.items.list({ limit: 100 }).entries
    const counts = countsOf(first)
    expect(counts.reduce((sum, { interactions }) => sum + interactions, 0)).toBeGreaterThan(5)
    await first.service.close()
    for (const other of [
      [variants[0]!],
      [{ ...variants[0]!, name: 'main' }],
      variants.toReversed(),
    ]) {
      const second = await startService({ store, variants: other })
      const listed = second.service.users.list({ limit: 10 }).entries
      if (other.length === 1) expect(new Set(listed.map(({ variant }) => variant)).size).toBe(1)
      expect(listed).toHaveLength(first.service.users.count)
      expect(countsOf(second)).toEqual(counts)
      await second.service.close()
    }
  })

  it('are refused before a store is opened if they are invalid', async () => {
    const path = newFile()
    await expect(openService({ store: path, variants: [] })).rejects.toThrow(
      /^variants must contain/,
    )
    expect(existsSync(path)).toBe(false)
  })
})

it('releases its store if it cannot be opened', async () => {
  const store = newFile()
  vi.stubGlobal('WebAssembly', undefined)
  try {
    await expect(openService({ store, variants })).rejects.toThrow(/WebAssembly/)
  } finally {
    vi.unstubAllGlobals()
  }
  const { service } = await startService({ store })
  expect(service.health().live).toBe(true)
})
