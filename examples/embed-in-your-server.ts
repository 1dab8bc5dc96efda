// REN inside your own server: one process and one file; recommend on one route, hear back on another.

import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService } from 'ren-recommender/service'

const store = join(mkdtempSync(join(tmpdir(), 'ren-')), 'ren.db') // yours is a file that stays
const ren = await openService({ store, attributionWindow: 0 }) // not taken at once, not liked
await ren.items.put(['tea', 'coffee', 'cocoa', 'water', 'juice', 'milk'].map((item) => ({ item })))

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
  const { user = '', item = '', recommendationId = '' } = Object.fromEntries(searchParams)
  if (pathname === '/recommend') {
    response.end(JSON.stringify(await ren.recommend({ user, count: 2 })))
  } else {
    // Resolves when it is durable and known to the next recommendation.
    response.end(JSON.stringify(await ren.record([{ user, item, recommendationId }])))
  }
}).listen(0, '127.0.0.1')
await once(server, 'listening')

// Ann, who likes cocoa. Nobody told REN.
const { port } = server.address() as AddressInfo
const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json()
for (let visit = 1; visit <= 20; visit++) {
  const { recommendationId, items } = (await get('/recommend?user=ann')) as Slate
  const taken = items.some(({ item }) => item === 'cocoa')
  if (taken) await get(`/feedback?user=ann&item=cocoa&recommendationId=${recommendationId}`)
  console.log(
    `visit ${visit}: ${items.map(({ item }) => item).join(' and ')}${taken ? ', yes' : ''}`,
  )
  await ren.model.train() // it does so by itself every few seconds; here at once
}
server.close()
await ren.close()

type Slate = { readonly recommendationId: string; readonly items: readonly { item: string }[] }
