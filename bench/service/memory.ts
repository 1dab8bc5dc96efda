// The memory of a large service: 200,000 items and 100,000 users, with an active learner.

import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { median } from '../measure.ts'
import type { Figure } from '../measure.ts'
import { startServer } from './child.ts'
import type { RunningServer } from './child.ts'
import { fillStore } from './fill-store.ts'
import { runLoad } from './load.ts'
import type { ServerTask } from './server.ts'

/** Measures memory and swaps during fine-tuning, which a full training run would delay. */
export async function measureMemory(folder: string): Promise<Figure[]> {
  let swaps: readonly number[] = []
  const megabytes = await measureLarge(folder, { fullTraining: false }, async (server) => {
    swaps = await swapsOf(server, 5)
  })
  return [
    {
      figure: '200,000 items, 100,000 users of 60, learner included: resident',
      value: megabytes,
      unit: 'MB',
      bar: '≤ 1400',
    },
    {
      figure: '… swap of an update: main thread blocked, median',
      value: median(swaps),
      unit: 'ms',
      bar: '≤ 2',
    },
    { figure: '… swap of an update: the longest', value: Math.max(...swaps), unit: 'ms' },
  ]
}

/** Megabytes of a service of that size under load, after `wait`. */
export async function measureLarge(
  folder: string,
  settings: Pick<ServerTask, 'relevance' | 'fullTraining'>,
  wait: (server: RunningServer) => Promise<void>,
): Promise<number> {
  const store = join(folder, `large-${settings.relevance ?? 'default'}.db`)
  const task = { ...settings, store, learning: true, groupCommit: true }
  const users = 100_000
  await fillStore(store, { items: 200_000, users, history: 60 })
  const first = await startServer(task)
  await first.close() // saves its state, so that the measured service starts from a snapshot as usual
  const server = await startServer(task)
  let sent = 0
  const next = () => {
    const user = `user-${((sent += 1) * 7919) % users}`
    return { method: 'POST', path: '/v1/recommendations', body: { user, count: 10 } } as const
  }
  await runLoad({ port: server.port, connections: 8, next, seconds: 5 })
  await wait(server)
  const { residentBytes } = await server.usage()
  await server.close()
  return residentBytes / 2 ** 20
}

/** The swap times of the first `count` automatic updates. */
async function swapsOf(server: RunningServer, count: number): Promise<number[]> {
  for (;;) {
    const swaps = (await server.updates()).flatMap(({ swapMs }) => swapMs ?? [])
    if (swaps.length >= count) return swaps
    await setTimeout(500)
  }
}
