// Rounds of kill -9 under write load. After each, every acknowledged event is in the log once, positions
// have no gaps, and the state equals that of a replay.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { createRandom } from 'ren-recommender'
import { openService } from 'ren-recommender/service'
import type { Service } from 'ren-recommender/service'
import { createMemoryStore } from 'ren-recommender/storage'
import type { EventStore, StoredEvent } from 'ren-recommender/storage'
import { expect } from 'vitest'
import { serviceSettings } from './settings.ts'

export interface KillReport {
  readonly rounds: number
  readonly acknowledged: number
  readonly events: number
}

export async function surviveKills(store: string, rounds: number): Promise<KillReport> {
  const random = createRandom('kill')
  const acknowledged: string[] = []
  let events = 0
  for (let round = 0; round < rounds; round++) {
    const ids = await writeAndKill(store, round, 150 + random.integer(900))
    expect(ids.length).toBeGreaterThan(0)
    acknowledged.push(...ids)
    events = await checkStore(store, acknowledged)
  }
  return { rounds, acknowledged: acknowledged.length, events }
}

/** The ids that the service acknowledged before it was killed. */
async function writeAndKill(store: string, round: number, milliseconds: number): Promise<string[]> {
  const path = new URL('./writer.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [path, store, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let [printed, isTimed] = ['', false]
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    printed += text
    // From the first acknowledged event on, however busy the machine is.
    if (isTimed || printed.split('\n').length < 3) return
    isTimed = true
    void setTimeout(milliseconds).then(() => child.kill('SIGKILL'))
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' })
  // The kill may have cut off the text after the last line break.
  return printed.split('\n').slice(1, -1)
}

async function checkStore(path: string, acknowledged: readonly string[]): Promise<number> {
  const service = await openService(serviceSettings(path))
  try {
    const log = await allOf(service.store)
    expect(log.map(({ position }) => position)).toEqual(log.map((_, at) => at + 1))
    const ids = log.flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    const known = new Set(ids)
    expect(acknowledged.filter((id) => !known.has(`feedback ${id}`))).toEqual([])
    expect(contentsOf(service)).toEqual(await replayed(log))
    return log.length
  } finally {
    await service.close()
  }
}

/** The state of a service that replays the same log. */
async function replayed(log: readonly StoredEvent[]): Promise<unknown> {
  const store = createMemoryStore()
  await store.append(log)
  const service = await openService({ ...serviceSettings(store), learning: { enabled: false } })
  const contents = contentsOf(service)
  await service.close()
  return contents
}

function contentsOf(service: Service): unknown {
  const items = service.items.list({ limit: 100_000 }).entries
  const users = service.users.list({ limit: 100_000 }).entries
  return {
    position: service.position,
    items,
    users: users.map((user) => ({ ...user, ...service.users.get(user.user, 100_000) })),
    variants: service.compareVariants(),
  }
}

async function allOf(store: EventStore): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const some of store.read(0)) events.push(...some)
  return events
}
