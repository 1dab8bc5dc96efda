// The costs of quality, measured alternately here and at commit ec9ab3e: import of ML-1M until the first
// response, resident memory, CPU time per recommendation; and the memory of a large service.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from '../../scripts/checkout.ts'
import { defaults } from '../../src/service/settings.ts'
import { median } from '../measure.ts'
import { fillStore } from '../service/fill-store.ts'
import { runLoad } from '../service/load.ts'
import type { LoadRequest } from '../service/load.ts'
import { measureLarge } from '../service/memory.ts'
import { withBaseCheckout } from './base-checkout.ts'
import { readLines } from './hold-out.ts'
import { serveRen, waitForTraining } from './ren-process.ts'
import type { RenProcess } from './ren-process.ts'
import { atMost } from './row.ts'
import type { Bar, QualityFigure, QualityRow, RowOptions, StageResult } from './row.ts'

const importTurns = 3
const loadTurns = 5

export const costs: QualityRow = {
  title: 'costs beside commit ec9ab3e',
  seeds: { test: [1], validation: [1] },
  run: (options) => withBaseCheckout(options.folder, (base) => measureAll(base, options)),
}

async function* measureAll(base: string, options: RowOptions): AsyncGenerator<StageResult> {
  const lines = await readLines(join(options.data, 'ml-1m/sasrec_ml-1m.txt.gz'))
  const log = join(options.folder, 'log.txt')
  writeFileSync(log, `${lines.join('\n')}\n`)
  const { flags } = options
  const figures: QualityFigure[] = []
  if (!flags.has('no-import')) figures.push(...(await compareImports(base, log, options)))
  figures.push(...(await compareRecommendCpu(base, options)))
  if (!flags.has('no-large')) figures.push(...(await compareMemory(options)))
  yield { stage: null, figures }
}

interface Imported {
  readonly seconds: number
  readonly megabytes: number
  readonly trainedMegabytes: number | null
  readonly cpu: RecommendCpu
}

async function compareImports(
  base: string,
  log: string,
  options: RowOptions,
): Promise<QualityFigure[]> {
  const turns: { base: Imported; own: Imported }[] = []
  for (let turn = 0; turn < importTurns; turn++) {
    // Memory is measured only in the first round.
    const settled = { ...options, settleSeconds: turn === 0 ? options.settleSeconds : 0 }
    const waits = turn === 0 && options.stages.includes('trained')
    const before = await importOnce(log, { ...settled, root: base, serve: [] }, false)
    const own = await importOnce(log, settled, waits)
    turns.push({ base: before, own })
    options.progress(`import: ${own.seconds.toFixed(1)} s, before ${before.seconds.toFixed(1)} s`)
  }
  const compare = (name: string, of: (one: Imported) => number, bar: Bar) =>
    compared(
      name,
      turns.map((turn) => of(turn.own)),
      turns.map((turn) => of(turn.base)),
      bar,
    )
  const [first] = turns
  const compareResident = (name: string, megabytes: number) =>
    compared(name, [megabytes], [first!.base.megabytes], atMost(1.4))
  const trained = first?.own.trainedMegabytes ?? null
  return [
    ...compare('ML-1M, seconds to first answer', (one) => one.seconds, atMost(1.3)),
    ...compareResident('ML-1M, MB resident 60 s later', first!.own.megabytes),
    ...(trained === null ? [] : compareResident('ML-1M, MB resident when trained', trained)),
    ...compare(
      'ML-1M, ms of CPU per recommendation, users who return',
      (one) => one.cpu.returning,
      atMost(1.2),
    ),
    ...compare(
      'ML-1M, ms of CPU per recommendation, first of a user',
      (one) => one.cpu.first,
      atMost(1.2),
    ),
  ]
}

const source = ['--format', 'movielens-1m-sequences']

/** Imports into a new store, then measures requests with training disabled. */
async function importOnce(log: string, options: RowOptions, waits: boolean): Promise<Imported> {
  const store = join(options.folder, 'costs.db')
  const started = performance.now()
  const service = await serveRen({
    ...options,
    store,
    args: ['--events', log, ...source, ...options.serve],
  })
  await service.recommend({ user: '1', count: 10, record: false })
  const seconds = (performance.now() - started) / 1000
  await delay(1000 * options.settleSeconds)
  const megabytes = megabytesOf(service)
  if (waits) await waitForTraining(service, options.progress)
  const trainedMegabytes = waits ? megabytesOf(service) : null
  await service.stop()
  const cpu = await recommendCpu(store, options)
  for (const end of ['', '-wal', '-shm']) rmSync(`${store}${end}`, { force: true })
  return { seconds, megabytes, trainedMegabytes, cpu }
}

const megabytesOf = (service: RenProcess): number => service.usage().residentBytes / 2 ** 20

/** Returning users: θ and A_t of a user are computed at the first request and cached. */
async function recommendCpu(store: string, options: RowOptions): Promise<RecommendCpu> {
  const args = ['--no-learning', ...options.serve]
  const service = await serveRen({ ...options, store, args })
  const load = async (from: number, users: number, requests: number): Promise<number> => {
    const before = service.usage()
    let requested = 0
    const send = async (): Promise<void> => {
      while (requested < requests) {
        const user = String(from + (requested++ % users))
        await service.recommend({ user, count: 10 })
      }
    }
    await Promise.all(Array.from({ length: 4 }, send))
    return (service.usage().cpuMs - before.cpuMs) / requests
  }
  await load(1, 2000, 2000) // warm-up, until frequently called functions are compiled
  const first = await load(2001, 2000, 2000)
  await load(4001, 200, 200)
  const returning = await load(4001, 200, 4000)
  await service.stop()
  return { first, returning }
}

/** Milliseconds of CPU time per request, with training disabled. */
interface RecommendCpu {
  /** For users who are served for the first time since the start of the service. */
  readonly first: number
  readonly returning: number
}

const filling = { items: 10_000, users: 200, history: 60 }

/**
 * The workload of `bench -- service`: 10 of 10,000 items for returning users, with the default settings
 * of each commit. Dimension, window and exploration differ from those of ec9ab3e. Each commit trains its
 * model in its own way, so that the model affects the slates.
 */
async function compareRecommendCpu(base: string, options: RowOptions): Promise<QualityFigure[]> {
  const store = join(options.folder, 'before.db')
  const args = ['--no-learning']
  learnAsBefore(base, store, options.folder)
  const own = await learn(options)
  const services = {
    base: await serveRen({ store, args, root: base }),
    own: await serveRen({ ...options, store: own, args: [...args, ...options.serve] }),
  }
  const spent: Record<'base' | 'own', number[]> = { base: [], own: [] }
  for (let turn = 0; turn <= loadTurns; turn++) {
    for (const name of ['base', 'own'] as const) {
      const cost = await costOf(services[name], turn === 0 ? 8 : 2)
      if (turn > 0) spent[name].push(cost) // the first round is a warm-up
    }
  }
  await Promise.all([services.base.stop(), services.own.stop()])
  return compared('10 of 10,000, ms of CPU per recommendation', spent.own, spent.base, atMost(1.2))
}

/** Runs a script of that commit in a separate process, because its modules differ. */
function learnAsBefore(base: string, store: string, folder: string): void {
  const script = join(folder, 'fill.mjs')
  writeFileSync(
    script,
    `import { fillAndLearn } from '${base}/bench/service/learnt-store.ts'
    await fillAndLearn('${store}', ${JSON.stringify(filling)})`,
  )
  run('node', [script])
}

/** The same tastes in vectors of the default dimension, trained by a full training run. */
async function learn(options: RowOptions): Promise<string> {
  const store = join(options.folder, 'own.db')
  const { dimension } = defaults.variants[0].settings
  await fillStore(store, { ...filling, tastes: { count: 50, dimension } })
  const service = await serveRen({ ...options, store, args: options.serve })
  await waitForTraining(service, options.progress)
  await service.stop()
  return store
}

/** Milliseconds of CPU time per recommendation. */
async function costOf({ port, usage }: RenProcess, seconds: number): Promise<number> {
  let requested = 0
  const next = (): LoadRequest => {
    const user = `user-${(requested += 1) % filling.users}`
    return { method: 'POST', path: '/v1/recommendations', body: { user, count: 10 } }
  }
  const before = usage()
  const { requests, failures } = await runLoad({ port, connections: 8, next, seconds })
  if (failures > 0) throw new Error(`${failures} requests failed`)
  return (usage().cpuMs - before.cpuMs) / requests
}

function compared(
  name: string,
  own: readonly number[],
  before: readonly number[],
  bar: Bar,
): QualityFigure[] {
  const [now, then] = [median(own), median(before)]
  return [
    { name, value: now },
    { name: `${name}, before`, value: then },
    { name: `${name}, ratio`, value: now / then, bar },
  ]
}

/**
 * 200,000 items and 100,000 users, with and without the transition memory, while a full training run
 * is in progress.
 */
async function compareMemory({ folder, progress }: RowOptions): Promise<QualityFigure[]> {
  const figures: QualityFigure[] = []
  for (const relevance of ['blend', 'model'] as const) {
    const megabytes = await measureLarge(folder, { relevance }, () => delay(60_000))
    const name = `200,000 items, 100,000 users, relevance ${relevance}: MB resident`
    const bar = atMost(relevance === 'blend' ? 1400 : 1024)
    figures.push({ name, value: megabytes, bar })
    progress(`${name} ${megabytes.toFixed(0)}`)
  }
  return figures
}
