// MovieLens: holds out the newest item of every user, imports the rest with one command, and requests
// one slate of ten per user over HTTP. Measures HR@10 over the full catalog, with default settings and
// with exploration weight 0.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mean, standardError } from '../../src/core/statistics.ts'
import { createRandom } from '../../src/core/random.ts'
import { holdOut, readLines } from './hold-out.ts'
import type { LogLine, Target } from './hold-out.ts'
import { inParallel } from './http-client.ts'
import { measureNewItems } from './new-items.ts'
import { createPopularity } from './popularity.ts'
import { serveRen, trainingSeconds, waitForTraining } from './ren-process.ts'
import type { RenProcess } from './ren-process.ts'
import { atLeast, atMost } from './row.ts'
import type { Bar, QualityFigure, QualityRow, RowOptions, Stage, StageResult } from './row.ts'

interface DataSet {
  readonly title: string
  readonly file: string
  /** The value of `--format`. */
  readonly format: string
  readonly parse: (line: string) => Omit<LogLine, 'line'>
  readonly bars: (stage: Stage, popularity: number) => { readonly default: Bar; greedy: Bar }
}

export const ml1m = createRow({
  title: 'ML-1M, last item of each user',
  file: 'ml-1m/sasrec_ml-1m.txt.gz',
  format: 'movielens-1m-sequences',
  parse(line) {
    const [user, item] = line.split(' ')
    return { user: user!, item: item!, time: 0 }
  },
  bars: (stage) =>
    stage === 'start'
      ? { default: atLeast(0.23), greedy: atLeast(0.25) }
      : { default: atLeast(0.27), greedy: atLeast(0.29) },
})

export const ml100k = createRow({
  title: 'ML-100K, last item of each user',
  file: 'ml-100k/u.data.gz',
  format: 'movielens-100k',
  parse(line) {
    const [user, item, , time] = line.split('\t')
    return { user: user!, item: item!, time: Number(time) }
  },
  bars(stage, popularity) {
    const bar = atLeast((stage === 'start' ? 2 : 2.7) * popularity)
    return { default: bar, greedy: bar }
  },
})

/** The quality of one user's slate. */
interface Gain {
  readonly hit: number
  readonly ndcg: number
}

interface Measured {
  readonly gains: readonly Gain[]
  readonly distinct: number
}

type Variant = 'default' | 'greedy'

/** One stage, with a measurement per seed. */
interface Collected {
  readonly measured: Record<Variant, Measured[]>
  readonly more: QualityFigure[]
}

function createRow(dataSet: DataSet): QualityRow {
  return {
    title: dataSet.title,
    seeds: { test: [1, 2, 3], validation: [1] },
    run: (options) => runRow(dataSet, options),
  }
}

async function* runRow(dataSet: DataSet, options: RowOptions): AsyncGenerator<StageResult> {
  const { targets, baseline, args } = await prepare(dataSet, options)
  const { seeds, stages, flags, progress } = options
  const collected: Record<Stage, Collected> = { start: newCollection(), trained: newCollection() }
  for (const seed of seeds) {
    const store = join(options.folder, `seed-${seed}.db`)
    const service = await serveRen({ ...options, store, args: [...args, '--seed', String(seed)] })
    for await (const [stage, aboutService] of reachStages(service, options)) {
      const { measured, more } = collected[stage]
      measured.default.push(await measureService(service, targets, {}))
      measured.greedy.push(await measureService(service, targets, { weight: 0 }))
      more.push(...aboutService.map((one) => ({ ...one, name: `${one.name} (seed ${seed})` })))
      progress(`seed ${seed}, ${stage}: HR@10 ${rateOf(measured.default)} as served by default`)
      progress(`seed ${seed}, ${stage}: HR@10 ${rateOf(measured.greedy)} with weight 0`)
    }
    if (flags.has('new-items') && seed === seeds.at(-1)) {
      collected[stages.at(-1)!].more.push(...(await measureNewItems(service, options)))
    }
    await service.stop()
  }
  for (const stage of stages) {
    const { measured, more } = collected[stage]
    const bars = dataSet.bars(stage, rate(baseline))
    yield { stage, figures: [...figuresOf(measured, baseline, bars), ...more] }
  }
}

/** Writes the log to import, and measures popularity. */
async function prepare(
  { file, format, parse }: DataSet,
  { data, split, folder, limit, serve }: RowOptions,
) {
  const all = (await readLines(join(data, file))).map((line) => ({ line, ...parse(line) }))
  const { lines, targets: everyTarget } = holdOut(all, split)
  const targets = sample(everyTarget, limit)
  const log = join(folder, 'log.txt')
  writeFileSync(log, lines.map(({ line }) => `${line}\n`).join(''))
  const popularity = createPopularity(lines)
  const slates = targets.map((target) => popularity.slate(target, 10))
  const args = ['--events', log, '--format', format, ...serve]
  return { targets, baseline: measure(targets, slates), args }
}

const newCollection = (): Collected => ({ measured: { default: [], greedy: [] }, more: [] })

/** Yields each stage when the service has reached it, with notes on the service. */
async function* reachStages(
  service: RenProcess,
  { stages, settleSeconds, progress }: RowOptions,
): AsyncGenerator<readonly [Stage, readonly QualityFigure[]]> {
  const ready = { name: 'seconds from start to first answer', value: service.readyMs / 1000 }
  progress(`it serves after ${ready.value.toFixed(1)} s`)
  await delay(1000 * settleSeconds)
  if (stages.includes('start')) yield ['start', [ready, ...(await statusFigures(service))]]
  if (!stages.includes('trained')) return
  const seconds = settleSeconds + (await waitForTraining(service, progress))
  const bar = atMost(trainingSeconds)
  const trained = { name: 'seconds of serving until trained', value: seconds, bar }
  yield ['trained', [trained, ...(await statusFigures(service))]]
}

async function statusFigures(service: RenProcess): Promise<QualityFigure[]> {
  const { problems, excludeSeen } = await service.status()
  return [
    {
      name: 'excludeSeen auto excludes (1: yes)',
      value: Number(excludeSeen?.excludes ?? false),
      bar: atLeast(1),
      note: excludeSeen ? `repeat rate ${excludeSeen.repeatRate}` : 'not in /v1/status',
    },
    { name: 'problems in /v1/status', value: problems.length, note: problems.join('; ') },
  ]
}

/** A seeded sample in the order of the log. */
function sample(targets: readonly Target[], limit: number): readonly Target[] {
  if (targets.length <= limit) return targets
  const chosen = createRandom('last-item').choose(limit, targets.length)
  return [...chosen].toSorted((a, b) => a - b).map((index) => targets[index]!)
}

async function measureService(
  service: RenProcess,
  targets: readonly Target[],
  exploration: { readonly weight?: number },
): Promise<Measured> {
  const requested = exploration.weight === undefined ? {} : { exploration }
  const slates = await inParallel(targets, 4, async ({ user }) => {
    const { items } = await service.recommend({ user, count: 10, record: false, ...requested })
    return items.map(({ item }) => item)
  })
  return measure(targets, slates)
}

function measure(targets: readonly Target[], slates: readonly (readonly string[])[]): Measured {
  const gains = targets.map(({ item }, at) => {
    const place = slates[at]!.indexOf(item)
    return place < 0 ? { hit: 0, ndcg: 0 } : { hit: 1, ndcg: 1 / Math.log2(place + 2) }
  })
  return { gains, distinct: new Set(slates.flat()).size }
}

const rate = ({ gains }: Measured): number => mean(gains.map(({ hit }) => hit))
const rateOf = (measured: readonly Measured[]): string => rate(measured.at(-1)!).toFixed(4)

/** Averages over seeds for each user; the standard error is over users. */
function estimate(measured: readonly Measured[], gain: keyof Gain) {
  const byUser = measured[0]!.gains.map((_, user) =>
    mean(measured.map(({ gains }) => gains[user]![gain])),
  )
  return { value: mean(byUser), error: standardError(byUser) }
}

function figuresOf(
  { default: served, greedy }: Collected['measured'],
  baseline: Measured,
  bars: ReturnType<DataSet['bars']>,
): QualityFigure[] {
  const distinct = (of: readonly Measured[]): number => mean(of.map((one) => one.distinct))
  const [hits, greedyHits] = [estimate(served, 'hit'), estimate(greedy, 'hit')]
  return [
    { name: 'HR@10 as served by default', ...hits, bar: bars.default },
    { name: 'HR@10 with weight 0', ...greedyHits, bar: bars.greedy },
    {
      name: 'default over weight 0',
      value: greedyHits.value > 0 ? hits.value / greedyHits.value : 0,
      bar: atLeast(0.9),
    },
    { name: 'HR@10 of popularity', ...estimate([baseline], 'hit') },
    { name: 'NDCG@10 as served by default', ...estimate(served, 'ndcg') },
    { name: 'NDCG@10 with weight 0', ...estimate(greedy, 'ndcg') },
    { name: 'distinct items as served by default', value: distinct(served) },
    { name: 'distinct items with weight 0', value: distinct(greedy) },
    { name: 'distinct items of popularity', value: baseline.distinct },
  ]
}
