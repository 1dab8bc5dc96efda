// The service over HTTP on this machine: the cost of a recommendation compared with an empty route, the
// throughput of durable feedback compared with one commit per request, import, restart and memory.
// Compared values are measured alternately within one run.

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine, median } from './measure.ts'
import type { Figure, FigureReport } from './measure.ts'
import { startServer } from './service/child.ts'
import type { RunningServer } from './service/child.ts'
import { fillStore } from './service/fill-store.ts'
import { measureImport } from './service/import.ts'
import { fillAndLearn } from './service/learnt-store.ts'
import { percentile, runLoad } from './service/load.ts'
import type { LoadRequest, LoadResult } from './service/load.ts'
import { measureRestart } from './service/restart.ts'
import { measureMemory } from './service/memory.ts'

const rounds = 5
const users = 200
const empty: LoadRequest = { method: 'GET', path: '/healthz' }

export async function run(): Promise<FigureReport> {
  const folder = await mkdtemp(join(tmpdir(), 'ren-bench-'))
  try {
    const filling = { items: 10_000, users, history: 60 }
    const [fresh, store] = [join(folder, 'fresh.db'), join(folder, 'service.db')]
    await fillStore(fresh, filling)
    const liked = await fillAndLearn(store, filling)
    const figures = [
      figure('trained model: share of its slates that users like', liked, ''),
      ...(await measureRecommend(store, 'trained model', '≤ 6')),
      // All items are about equally good, so most need exact scores.
      ...(await measureRecommend(fresh, 'fresh model')),
      ...(await measureFeedback(store)),
      ...(await measureImport(folder)),
      ...(await measureRestart(folder)),
      ...(await measureMemory(folder)),
    ]
    return { machine: describeMachine(), figures }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The CPU time of all threads of the server, per answered request. */
async function costOf<Result extends LoadResult>(
  server: RunningServer,
  load: () => Promise<Result>,
): Promise<Result & { readonly cpuMs: number; readonly each: number }> {
  const before = await server.usage()
  const result = await load()
  const { cpuMs } = await server.usage()
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`)
  const spent = cpuMs - before.cpuMs
  return { ...result, cpuMs: spent, each: spent / result.requests }
}

function createSender(port: number, next: () => LoadRequest) {
  return (connections: number, seconds: number) => runLoad({ port, connections, next, seconds })
}

let requested = 0
const recommend = (): LoadRequest => {
  const user = `user-${(requested += 1) % users}`
  return { method: 'POST', path: '/v1/recommendations', body: { user, count: 10 } }
}
let sent = 0
const send = (): LoadRequest => {
  const [user, item] = [`user-${(sent += 1) % users}`, `item-${(sent * 7919) % 10_000}`]
  return { method: 'POST', path: '/v1/events', body: { user, item, reward: 1 } }
}

async function measureRecommend(store: string, model: string, bar?: string): Promise<Figure[]> {
  const server = await startServer({ store, learning: false, groupCommit: true })
  const loads = {
    empty: createSender(server.port, () => empty),
    recommend: createSender(server.port, recommend),
  }
  // Warms up until frequently called functions are compiled.
  await loads.empty(8, 1)
  await loads.recommend(8, 8)
  const turns = []
  for (let round = 0; round < rounds; round++) {
    const nothing = await costOf(server, () => loads.empty(8, 1))
    const slate = await costOf(server, () => loads.recommend(8, 2))
    turns.push({ nothing, slate, ratio: slate.each / nothing.each })
  }
  await server.close()
  const last = turns.at(-1)
  return [
    figure(
      `${model}, empty route: CPU per request`,
      median(turns.map((t) => t.nothing.each * 1000)),
      'µs',
    ),
    figure(
      `${model}, recommend 10 of 10,000: CPU per request`,
      median(turns.map((t) => t.slate.each * 1000)),
      'µs',
    ),
    {
      ...figure(`${model}, recommend over empty route`, median(turns.map((t) => t.ratio)), '×'),
      ...(bar !== undefined && { bar }),
    },
    ...latencies(`${model}, recommend, 8 connections`, last.slate),
  ]
}

async function measureFeedback(store: string): Promise<Figure[]> {
  const turns = []
  for (let round = 0; round < 3; round++) {
    const alone = await throughput(store, false)
    const grouped = await throughput(store, true)
    turns.push({ alone, grouped, ratio: grouped.perSecond / alone.perSecond })
  }
  const server = await startServer({ store, learning: false, groupCommit: true })
  const slates = createSender(server.port, recommend)
  const events = createSender(server.port, send)
  await Promise.all([slates(2, 1), events(32, 1)])
  const mixes = []
  for (let round = 0; round < rounds; round++) {
    const alone = await costOf(server, () => slates(2, 2))
    const feedback = await costOf(server, () => events(32, 2))
    const both = await costOf(server, () => mixed(slates(2, 2), events(32, 2)))
    const meanwhile = (both.cpuMs - feedback.each * both.events) / both.slates
    mixes.push({ both, ratio: meanwhile / alone.each })
  }
  await server.close()
  return [
    figure(
      'feedback, a commit each, 32 connections',
      median(turns.map((t) => t.alone.perSecond)),
      '/s',
    ),
    figure(
      'feedback, group commit, 32 connections',
      median(turns.map((t) => t.grouped.perSecond)),
      '/s',
    ),
    {
      ...figure('group commit over commit each', median(turns.map((t) => t.ratio)), '×'),
      bar: '≥ 5',
    },
    ...latencies('feedback, group commit', turns.at(-1).grouped),
    {
      ...figure(
        'CPU of a recommendation meanwhile, over alone',
        median(mixes.map((m) => m.ratio)),
        '×',
      ),
      bar: '≤ 1.5',
    },
    ...latencies('recommend meanwhile, 2 connections', mixes.at(-1).both),
  ]
}

async function throughput(store: string, groupCommit: boolean): Promise<LoadResult> {
  const server = await startServer({ store, learning: false, groupCommit })
  const events = createSender(server.port, send)
  await events(32, 1)
  const result = await events(32, 3)
  await server.close()
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`)
  return result
}

async function mixed(slates: Promise<LoadResult>, events: Promise<LoadResult>) {
  const [slate, event] = await Promise.all([slates, events])
  return {
    ...slate,
    failures: slate.failures + event.failures,
    slates: slate.requests,
    events: event.requests,
  }
}

const figure = (name: string, value: number, unit: string): Figure => ({
  figure: name,
  value,
  unit,
})

function latencies(name: string, { latencies: sorted, perSecond }: LoadResult): Figure[] {
  const at = (share: number) => percentile(sorted, share)
  return [
    figure(`${name}: throughput`, perSecond, '/s'),
    figure(`${name}: p50`, at(0.5), 'ms'),
    figure(`${name}: p99`, at(0.99), 'ms'),
  ]
}
