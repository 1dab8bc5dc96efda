// Runs REN inside your own server: one route recommends, the other records feedback.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService } from 'ren-recommender/service'
import type { ServedRecommendation } from 'ren-recommender/service'

const folder = mkdtempSync(join(tmpdir(), 'ren-')) // use a permanent folder
// An attribution window of 0: a shown item that the user does not choose has reward 0 at once.
const ren = await openService({ store: join(folder, 'ren.db'), attributionWindow: 0 })
await ren.items.put(['tea', 'coffee', 'cocoa', 'water', 'juice', 'milk'].map((item) => ({ item })))

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
  const { user = '', item = '', reward, recommendationId = '' } = Object.fromEntries(searchParams)
  const answer =
    pathname === '/recommend'
      ? await ren.recommend({ user, count: 2 })
      : await ren.record([{ user, item, reward: Number(reward), recommendationId }]) // on disk
  response.end(JSON.stringify(answer))
}).listen(0, '127.0.0.1')
await once(server, 'listening')

// Ann likes cocoa, which REN has to find out. Her page reports what she chose or rejected.
const { port } = server.address() as AddressInfo
const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json()
for (let visit = 1; visit <= 12; visit++) {
  const { recommendationId, items } = (await get('/recommend?user=ann')) as ServedRecommendation
  const [first, second] = items.map(({ item }) => item)
  const [item, reward] = [first, second].includes('cocoa') ? ['cocoa', 1] : [first, 0]
  await get(`/feedback?user=ann&item=${item}&reward=${reward}&recommendationId=${recommendationId}`)
  console.log(`visit ${visit}: ${first} and ${second}${reward ? ', Ann chose cocoa' : ''}`)
  await ren.model.train() // at once; otherwise every few seconds
}
server.close()
await ren.close()
rmSync(folder, { recursive: true })
