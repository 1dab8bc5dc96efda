// Recommendations while a full training runs, in turns with the same load without training. Training uses
// all cores until requests arrive, and then leaves one to them.

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describeMachine, median } from './measure.ts'
import type { FigureReport } from './measure.ts'
import { startServer } from './service/child.ts'
import { fillStore } from './service/fill-store.ts'
import { percentile, runLoad } from './service/load.ts'
import type { LoadRequest } from './service/load.ts'

const rounds = 5
const secondsPerTurn = 4
const users = 2000

export async function run(): Promise<FigureReport> {
  const folder = await mkdtemp(join(tmpdir(), 'ren-yield-'))
  try {
    const store = join(folder, 'service.db')
    await fillStore(store, { items: 4000, users, history: 60 })
    return await measure(store)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measure(store: string): Promise<FigureReport> {
  const task = { store, learning: true, fullTraining: false, groupCommit: true }
  const server = await startServer(task)
  const idle: number[] = []
  const training: number[] = []
  try {
    await p99(server.port)
    for (let round = 0; round < rounds; round++) {
      idle.push(await p99(server.port))
      await call(server.port, 'POST', '/v1/model/train', { full: true })
      await until(async () => (await runOf(server.port)).share > 0)
      training.push(await p99(server.port))
      const { state } = await runOf(server.port)
      if (state !== 'running')
        throw new Error(`the run is ${state} during the load: use a larger log`)
      await call(server.port, 'DELETE', '/v1/model/training')
      await until(async () => (await runOf(server.port)).state !== 'running')
    }
  } finally {
    await server.close()
  }
  const figure = 'p99 of a recommendation'
  const ratio = median(training.map((ms, round) => ms / idle[round]!))
  return {
    machine: describeMachine(),
    figures: [
      { figure: `${figure} without training`, value: median(idle), unit: 'ms' },
      { figure: `${figure} during full training`, value: median(training), unit: 'ms' },
      { figure: `${figure}, ratio of turns`, value: ratio, unit: '×', bar: '≤ 2' },
    ],
  }
}

let requested = 0
const recommend = (): LoadRequest => {
  const user = `user-${(requested += 1) % users}`
  return { method: 'POST', path: '/v1/recommendations', body: { user, count: 10 } }
}

async function p99(port: number): Promise<number> {
  const load = { port, connections: 2, next: recommend, seconds: secondsPerTurn }
  const { failures, latencies } = await runLoad(load)
  if (failures > 0) throw new Error(`${failures} requests failed`)
  return percentile(latencies, 0.99)
}

async function call(port: number, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return response.json()
}

interface Run {
  readonly state: string
  readonly share: number
}

/** The status of the only group. A run has a share once its first step is done. */
async function runOf(port: number): Promise<Run> {
  const { training } = (await call(port, 'GET', '/v1/status')) as { training: readonly Run[] }
  return training[0]!
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await delay(100)
}
