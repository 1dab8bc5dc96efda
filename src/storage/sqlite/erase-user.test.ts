import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { readAll } from '../../../test/contracts/event-store-cases.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { EventStore } from '../event-store.ts'
import type { NewEvent } from '../log-event.ts'
import { openSqliteReader } from './reader.ts'
import { openSqliteStore } from './store.ts'

const { folder } = temporaryFiles()

/** The files of a store that contain a text. */
const filesWith = (path: string, text: string): string[] =>
  globSync(`${path}*`).filter((file) => readFileSync(file).includes(text))

/** Events of many users, with those of one user spread over many pages. */
function crowd(user: string): NewEvent[] {
  return Array.from({ length: 3000 }, (_, at): NewEvent => {
    const who = at % 7 === 0 ? user : `somebody ${at % 40}`
    const scores = { score: 1, relevance: 1, diversity: 0, uncertainty: 0 }
    const items = Array.from({ length: at % 5 }, (__, place) => ({
      item: `item ${place}`,
      ...scores,
    }))
    const more = {
      counted: true,
      variant: 'x',
      policy: 'p',
      modelVersion: 1,
      time: at,
      context: { who },
    }
    return { id: `slate ${at}`, event: { kind: 'recommendation', user: who, items, ...more } }
  })
}

const erase = (store: EventStore, user: string) =>
  store.eraseUser({ user, time: 1, variantOf: () => 'x' })

it('leaves no byte of an erased user in any file of the store', async () => {
  const user = 'Wilhelmina Featherstonehaugh'
  const store = await openSqliteStore(join(folder, 'bytes.db'))
  const path = store.location
  for (let round = 0; round < 3; round++) {
    await store.append(crowd(user).map(({ id, event }) => ({ id: `${id} ${round}`, event })))
  }
  const merged = { kind: 'users-merged', user: 'somebody 1', from: user, time: 1 } as const
  await store.append([{ event: merged }, ...crowd(user).map(({ event }) => ({ event }))])
  const state = Buffer.from(`${user} `.repeat(100_000))
  const requested = {
    kind: 'state',
    scope: 's',
    position: await store.head(),
    time: 0,
    about: {},
  } as const
  await store.writeSnapshot(requested, [state])
  expect(filesWith(path, user)).not.toEqual([])

  const [second, first] = [await erase(store, user), await erase(store, 'somebody 1')]
  expect(first.events + second.events).toBeGreaterThan(4 * (3000 / 7))
  await expect.poll(() => filesWith(path, user), { timeout: 5000 }).toEqual([])
  expect(filesWith(path, 'somebody 2')).not.toEqual([])
  await store.close()
  expect(filesWith(path, user)).toEqual([])
})

it('resolves before old states are deleted, lets others write meanwhile, and finishes when the store closes', async () => {
  const store = await openSqliteStore(join(folder, 'sweep.db'))
  const path = store.location
  const state = Buffer.from('a state of many users '.repeat(1_200_000))
  const requested = { kind: 'state', scope: 's', position: 0, time: 0, about: {} } as const
  await store.writeSnapshot(requested, [state])
  await erase(store, 'ann')
  const { results } = await store.append([{ event: { kind: 'user-erased', time: 2 } }])
  expect(results[0]!.position).toBe(2)
  expect(piecesIn(path)).toBeGreaterThan(10)
  await store.close()
  expect(piecesIn(path)).toBe(0)
})

const piecesIn = (path: string): number => {
  const database = new DatabaseSync(path, { readOnly: true })
  const { count } = database.prepare('select count(*) count from snapshot_pieces').get()!
  database.close()
  return Number(count)
}

it('clears the write-ahead log once it has no readers, without another write', async () => {
  const user = 'Balthazar Quillfeather'
  const store = await openSqliteStore(join(folder, 'later.db'))
  await store.append(crowd(user))
  const reading = new DatabaseSync(store.location, { readOnly: true })
  reading.exec('begin; select count(*) from events')
  await erase(store, user)
  await store.append([{ event: { kind: 'user-erased', time: 2 } }])
  await store.append([{ event: { kind: 'user-erased', time: 3 } }])
  expect(filesWith(store.location, user)).not.toEqual([])
  reading.close()
  await expect.poll(() => filesWith(store.location, user), { timeout: 5000 }).toEqual([])
  await store.close()
})

it('requests the variants of exactly the merged names', async () => {
  const store = await openSqliteStore(join(folder, 'variants.db'))
  const names = ['ann', 'bob', 'cem', 'dan', 'eve']
  const took = (user: string): NewEvent => ({
    event: { kind: 'interaction', user, item: user, reward: 1, time: 0 },
  })
  const merges = names.slice(1, 4).map((from, at): NewEvent => ({
    event: { kind: 'users-merged', user: names[at]!, from, time: 0 },
  }))
  await store.append([...names.map(took), ...merges.toReversed()])
  const requested = new Set<string>()
  await store.eraseUser({
    user: 'ann',
    time: 0,
    variantOf(user) {
      requested.add(user)
      return `variant of ${user}`
    },
  })
  expect([...requested].toSorted()).toEqual(['ann', 'bob', 'cem', 'dan'])
  const left = (await readAll(store, 0, 5)).map(({ event }) => event)
  expect(left.slice(0, 4)).toEqual(
    names.slice(0, 4).map((name) => ({
      kind: 'erased',
      variant: `variant of ${name}`,
      impressions: [],
      interactions: [[name, 1]],
      day: 0,
    })),
  )
  const reader = await openSqliteReader(store.location)
  expect(await readAll(reader, 0, 5)).toMatchObject(left.map((event) => ({ event })))
  await reader.close()
  await store.close()
})
