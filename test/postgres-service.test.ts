// A service on PostgreSQL serves the same as one on SQLite.

import { createRandom } from 'ren-recommender'
import type { Service } from 'ren-recommender/service'
import { describe, expect, it } from 'vitest'
import { freshSchema, hasPostgres } from './postgres.ts'
import { closeServices, describeState, startService } from './services.ts'
import { temporaryFiles } from './temporary-files.ts'

closeServices()
const { folder } = temporaryFiles()

/** Requests and events of some users, without the ids that a service draws. */
async function use(service: Service, seed: string): Promise<unknown[]> {
  const random = createRandom(seed)
  const slates: unknown[] = []
  for (let at = 0; at < 120; at++) {
    const user = `user ${random.integer(9)}`
    const { recommendationId, items } = await service.recommend({ user, count: 3 })
    slates.push(items)
    const { item } = items[random.integer(items.length)]!
    await service.record([{ id: `${seed} ${at}`, user, item, recommendationId: recommendationId! }])
    if (at % 30 === 10) await service.items.put([{ item: `new ${at}`, attributes: { at } }])
    if (at % 40 === 20) await service.users.merge('user 0', 'user 1')
    if (at % 50 === 25) await service.users.erase('user 2')
  }
  return slates
}

/** Without the hashes of recommendation ids, which a service draws at random. */
const stateOf = (service: Service): unknown =>
  JSON.parse(
    JSON.stringify(describeState(service), (key, value: unknown) => (key === 'ids' ? null : value)),
  )

describe.skipIf(!hasPostgres)('a service on PostgreSQL', () => {
  it('has the same slates and states as one on SQLite, also after a restart', async () => {
    const address = await freshSchema()
    const [file, database] = [
      await startService({ store: `${folder}/same.db` }),
      await startService({ store: address }),
    ]
    expect(await use(database.service, 'first')).toEqual(await use(file.service, 'first'))
    expect(stateOf(database.service)).toEqual(stateOf(file.service))
    const before = describeState(database.service)
    await database.service.close()

    const again = await startService({ store: address })
    again.time = file.time
    expect(describeState(again.service)).toEqual(before)
    expect(await use(again.service, 'second')).toEqual(await use(file.service, 'second'))
    expect(stateOf(again.service)).toEqual(stateOf(file.service))
  })

  it('learns in its thread, which reads the log through its own connection', async () => {
    const settings = { learning: { everyEvents: 20, everySeconds: 0.05 } }
    const { service } = await startService({ store: await freshSchema(), ...settings })
    await use(service, 'learning')
    await expect
      .poll(() => service.model.current()[0]!.version, { timeout: 20_000 })
      .toBeGreaterThan(1)
    expect(service.health().ready).toBe(true)
  })
})
