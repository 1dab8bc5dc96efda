// Minutes of mixed traffic on one service, with samples of its memory.

import { median } from '../measure.ts'
import { startServer } from './child.ts'
import { fillStore } from './fill-store.ts'
import { runLoad } from './load.ts'
import type { LoadRequest } from './load.ts'

export interface SoakReport {
  readonly minutes: number
  readonly requests: number
  readonly failures: number
  /** Resident memory in megabytes, sampled every ten seconds. */
  readonly resident: readonly number[]
  /** The median of the last third divided by that of the second third; 1 if memory does not grow. */
  readonly growth: number
}

const filling = { items: 2000, users: 500, history: 60 }
// The limits are reached within a minute; after that, the state of users must not grow.
const maxPerUser = { history: 60, impressions: 300 }

export async function soak(store: string, seconds: number): Promise<SoakReport> {
  await fillStore(store, filling)
  const server = await startServer({ store, learning: true, groupCommit: true, maxPerUser })
  const resident: number[] = []
  const noteMemory = async (): Promise<void> => {
    const { residentBytes } = await server.usage()
    resident.push(Math.round(residentBytes / 2 ** 20))
  }
  const timer = setInterval(() => void noteMemory(), 10_000)
  const traffic = { port: server.port, connections: 8, next: createTraffic(), seconds }
  const { requests, failures } = await runLoad(traffic)
  clearInterval(timer)
  await server.close()
  const third = Math.floor(resident.length / 3)
  const growth = median(resident.slice(-third)) / median(resident.slice(third, 2 * third))
  return { minutes: seconds / 60, requests, failures, resident, growth }
}

/** Alternates recommendations, feedback, reads of items and users, and new attributes. */
function createTraffic(): () => LoadRequest {
  let count = 0
  return () => {
    count += 1
    const user = `user-${(count * 7919) % filling.users}`
    const item = `item-${(count * 104729) % filling.items}`
    const turns: readonly LoadRequest[] = [
      { method: 'POST', path: '/v1/recommendations', body: { user, count: 10 } },
      { method: 'POST', path: '/v1/events', body: { user, item, reward: count % 2 } },
      { method: 'GET', path: `/v1/users/${user}` },
      { method: 'GET', path: `/v1/items/${item}/similar` },
      { method: 'POST', path: '/v1/items', body: { items: [{ item, attributes: { count } }] } },
      { method: 'GET', path: '/v1/metrics' },
    ]
    const turn = count % 20
    return turns[turn < 8 ? 0 : turn < 16 ? 1 : turn - 14]!
  }
}
