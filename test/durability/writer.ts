// A service under write load until it is killed. It prints the id of each acknowledged event.
// kill-rounds.ts runs it in its own process.

import { writeSync } from 'node:fs'
import { openService } from 'ren-recommender/service'
import { serviceSettings } from './settings.ts'

const [store, round] = process.argv.slice(2) as [string, string]
const service = await openService(serviceSettings(store))
if (service.items.count === 0) {
  await service.items.put(Array.from({ length: 50 }, (_, item) => ({ item: `item ${item}` })))
}
writeSync(1, 'ready\n')

/** Writes one event after another, sometimes with a slate, an item or a merge in between. */
async function write(writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const user = `user ${writer}.${count % 7}`
    const { recommendationId, items } = await service.recommend({ user, count: 3 })
    const id = `${round}.${writer}.${count}`
    const item = items[count % 3]!.item
    const reward = count % 2
    const answers = count % 5 === 0 ? {} : { recommendationId: recommendationId! }
    await service.record([{ id, user, item, reward, ...answers }])
    writeSync(1, `${id}\n`)
    if (count % 40 === 20) await service.items.put([{ item: `item ${id}` }])
    if (count % 60 === 30) await service.users.merge(`user ${writer}.0`, `user ${writer}.1`)
    if (count % 90 === 45) await service.users.erase(`user ${writer}.2`)
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
