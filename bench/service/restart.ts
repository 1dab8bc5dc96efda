// The time until a service is ready: from a snapshot, and from the log alone.

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../measure.ts'
import type { Figure } from '../measure.ts'
import { startServer } from './child.ts'
import { fillStore } from './fill-store.ts'

const rounds = 3

export async function measureRestart(folder: string): Promise<Figure[]> {
  const filled = join(folder, 'million.db')
  await fillStore(filled, { items: 10_000, users: 20_000, history: 50 })
  const turns = []
  for (let round = 0; round < rounds; round++) {
    const store = join(folder, `million-${round}.db`)
    copyFileSync(filled, store)
    const replay = await startAndStop(store) // saves its state when it closes
    const snapshot = await startAndStop(store)
    turns.push({ replay, snapshot, ratio: snapshot / replay })
  }
  return [
    {
      figure: 'start from 1,000,000 events: replay',
      value: median(turns.map((t) => t.replay)),
      unit: 'ms',
    },
    {
      figure: 'start from 1,000,000 events: snapshot',
      value: median(turns.map((t) => t.snapshot)),
      unit: 'ms',
    },
    {
      figure: 'snapshot over replay',
      value: median(turns.map((t) => t.ratio)),
      unit: '×',
      bar: '≤ 0.1',
    },
  ]
}

async function startAndStop(store: string): Promise<number> {
  const server = await startServer({ store, learning: true, groupCommit: true })
  await server.close()
  return server.readyMs
}
