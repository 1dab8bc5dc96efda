// Several services on one PostgreSQL schema serve the same, and lose nothing.

import { setTimeout } from 'node:timers/promises'
import { createRandom } from 'ren-recommender'
import type { LogMessage, Service, ServiceSettings } from 'ren-recommender/service'
import { afterEach, describe, expect, it } from 'vitest'
import { openWithGroups } from '../src/service/open-service.ts'
import { describeGroups } from './describe-state.ts'
import { canStartPostgres, freshSchema } from './postgres.ts'

interface Process {
  readonly service: Service
  readonly opened: Awaited<ReturnType<typeof openWithGroups>>
  readonly messages: LogMessage[]
}

const running: Process[] = []
afterEach(async () => {
  for (const { service } of running.splice(0)) await service.close()
})

async function start(
  store: string,
  settings: Partial<ServiceSettings> = {},
  leaseMs = 5000,
): Promise<Process> {
  const messages: LogMessage[] = []
  const opened = await openWithGroups(
    {
      store,
      learning: { everyEvents: 40, everySeconds: 0.2, tolerance: 100 },
      variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 4 } }],
      onLogMessage: (message) => messages.push(message),
      ...settings,
    },
    { leaseMs },
  )
  const process = { opened, service: opened.service, messages }
  running.push(process)
  return process
}

/** Requests, feedback, items, merges and erasures at one of the services. */
async function use({ service }: Process, seed: string, rounds: number): Promise<void> {
  const random = createRandom(seed)
  for (let at = 0; at < rounds; at++) {
    const user = `user ${random.integer(30)}`
    const { recommendationId, items } = await service.recommend({ user, count: 3 })
    const { item } = items[random.integer(items.length)]!
    const { rejected } = await service.record([
      {
        id: `${seed} ${at}`,
        user,
        item,
        reward: random.uniform(),
        recommendationId: recommendationId!,
      },
      { user: `${seed} visitor`, item },
    ])
    expect(rejected).toEqual([])
    if (at % 20 === 7) await service.items.put([{ item: `${seed} item ${at}`, attributes: { at } }])
    if (at % 30 === 12) await service.users.merge(`${seed} visitor`, user)
    if (at % 25 === 19) await service.users.erase(user)
  }
}

async function settle(processes: readonly Process[]): Promise<void> {
  for (let same = 0; same < 3;) {
    const heads = await Promise.all(processes.map(({ service }) => service.store.head()))
    const isSame = processes.every(({ service }) => service.position === Math.max(...heads))
    same = isSame ? same + 1 : 0
    await setTimeout(150)
  }
}

const slatesOf = async ({ service }: Process): Promise<unknown[]> =>
  Promise.all(
    Array.from({ length: 30 }, async (_, at) => {
      const { position: _p, ...slate } = await service.recommend({
        user: `user ${at}`,
        count: 5,
        record: false,
      })
      return slate
    }),
  )

const stateOf = ({ opened }: Process): unknown => describeGroups(opened.groups)

describe.skipIf(!canStartPostgres)('several services on one schema', () => {
  it('end with equal states and slates, and so does a service that replays the log', async () => {
    const store = await freshSchema()
    const first = await start(store)
    await first.service.items.put(Array.from({ length: 40 }, (_, at) => ({ item: `item ${at}` })))
    const all = [first, await start(store), await start(store)]
    await Promise.all(all.map((one, at) => use(one, `process ${at}`, 60)))
    await expect.poll(() => all[1]!.service.model.current()[0]!.version).toBeGreaterThan(2)
    await expect(all[1]!.service.model.train()).rejects.toMatchObject({ code: 'not-learner' })
    await first.service.model.train()
    await settle(all)
    const replayed = await start(store)
    await settle([...all, replayed])
    const slates = await slatesOf(first)
    const state = stateOf(first)
    for (const other of [all[1]!, all[2]!, replayed]) {
      expect(other.service.health()).toMatchObject({ ready: true, problems: [] })
      expect(stateOf(other)).toEqual(state)
      expect(await slatesOf(other)).toEqual(slates)
    }
  })
})
