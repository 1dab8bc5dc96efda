// What a large service holds: 200,000 items and 100,000 users, with the twin that learns.

import { join } from 'node:path'
import type { Figure } from '../measure.ts'
import { startServer } from './child.ts'
import { fillStore } from './fill-store.ts'
import { runLoad } from './load.ts'

export async function measureMemory(folder: string): Promise<Figure[]> {
  const store = join(folder, 'large.db')
  const users = 100_000
  await fillStore(store, { items: 200_000, users, history: 60 })
  const first = await startServer({ store, learning: true, groupCommit: true })
  await first.close() // its state is saved: what is measured starts as a service usually does
  const server = await startServer({ store, learning: true, groupCommit: true })
  let asked = 0
  const next = () => {
    const user = `user-${((asked += 1) * 7919) % users}`
    return { method: 'POST', path: '/v1/recommendations', body: { user, count: 10 } } as const
  }
  await runLoad({ port: server.port, connections: 8, next, seconds: 5 })
  const outcomes = (await server.learn()) as readonly { readonly swapMs: number | null }[]
  const { residentBytes } = await server.usage()
  await server.close()
  return [
    {
      figure: '200,000 items, 100,000 users of 60, twin included: resident',
      value: residentBytes / 2 ** 20,
      unit: 'MB',
      bar: '≤ 1024',
    },
    {
      figure: '… swap of an update into 200,000 items: main thread blocked',
      value: Math.max(...outcomes.map(({ swapMs }) => swapMs ?? Number.NaN)),
      unit: 'ms',
      bar: '≤ 2',
    },
  ]
}
