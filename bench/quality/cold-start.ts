// MovieLens-1M from a cold start (protocol R3): users arrive in cohorts, ten items per round, nothing is
// shown twice to a user. It runs over HTTP twice: with the paper's preset and forced training, compared
// with the simulator, and with the service's defaults, compared with a click counter with a bonus.

import { join } from 'node:path'
import { mean } from '../../src/core/statistics.ts'
import { openRace } from '../../src/experiments/race.ts'
import { known } from '../../paper/plans/protocols.ts'
import { ml1m } from '../../paper/worlds/ml-1m.ts'
import type { MethodSettings } from '../../src/recommender/index.ts'
import { putItems, serveRen } from './ren-process.ts'
import { atLeast } from './row.ts'
import type { QualityFigure, QualityRow, RowOptions } from './row.ts'

/** The settings of REN-G in paper/plans/ml-1m.json. */
const preset = {
  rate: 0.005,
  fineTuneSteps: 2,
  replay: 10,
  clip: 0.5,
  window: 100,
  designMatrix: 'rewarded', // as in the preset; variants of a service default to `reported`
}
const never = '1000000000'
const presetSettings = Object.entries(preset).flatMap(([key, value]) => [
  '--set',
  `${key}=${value}`,
])
/** Only forced training, on all new events. */
const forcedOnly = ['--learn-events', never, '--learn-seconds', never, '--hold-out', '0']
const presetArguments = [
  '--method',
  'ren-g',
  '--relevance',
  'model',
  ...presetSettings,
  ...forcedOnly,
]

type Precisions = readonly number[]

export const coldStart: QualityRow = {
  title: 'ML-1M cold start (R3)',
  seeds: { test: [600, 601, 602, 603], validation: [700, 701] },
  async *run(options) {
    const figures: QualityFigure[] = []
    if (!options.flags.has('defaults-only')) figures.push(...(await runPreset(options)))
    if (!options.flags.has('preset-only')) figures.push(...(await runDefaults(options)))
    yield { stage: null, figures }
  },
}

async function runPreset(options: RowOptions): Promise<QualityFigure[]> {
  const served = await overSeeds(options, 'preset', (seed) =>
    playServed(seed, options, { args: presetArguments, forcesTraining: true }),
  )
  const simulated = await overSeeds(options, 'simulator', (seed) =>
    playSimulator('ren-g', preset, seed, options),
  )
  const ratio = (part: (all: Precisions) => Precisions): number =>
    meanOf(served, part) / meanOf(simulated, part)
  return [
    { name: 'preset: precision@10, all rounds', value: meanOf(served, allRounds) },
    { name: 'simulator: precision@10, all rounds', value: meanOf(simulated, allRounds) },
    { name: 'preset over simulator, all rounds', value: ratio(allRounds), bar: atLeast(0.95) },
    { name: 'preset: precision@10, last third', value: meanOf(served, third(2)) },
    { name: 'simulator: precision@10, last third', value: meanOf(simulated, third(2)) },
    { name: 'preset over simulator, last third', value: ratio(third(2)), bar: atLeast(0.95) },
  ]
}

async function runDefaults(options: RowOptions): Promise<QualityFigure[]> {
  const served = await overSeeds(options, 'defaults', (seed) =>
    playServed(seed, options, { args: [], forcesTraining: false }),
  )
  const counted = await overSeeds(options, 'click counter with UCB', (seed) =>
    playSimulator('click-rate-ucb', {}, seed, options),
  )
  return [
    { name: 'defaults: precision@10, all rounds', value: meanOf(served, allRounds) },
    ...[0, 1, 2].flatMap((at): QualityFigure[] => {
      const counter = meanOf(counted, third(at))
      const name = `precision@10, third ${at + 1}`
      return [
        { name: `defaults: ${name}`, value: meanOf(served, third(at)), bar: atLeast(counter) },
        { name: `click counter with UCB: ${name}`, value: counter },
      ]
    }),
  ]
}

async function overSeeds(
  { seeds, progress }: RowOptions,
  name: string,
  play: (seed: number) => Promise<Precisions>,
): Promise<Precisions[]> {
  const runs: Precisions[] = []
  for (const seed of seeds) {
    const precisions = await play(seed)
    const [all, last] = [mean(precisions), mean(third(2)(precisions))]
    progress(`${name}, seed ${seed}: ${all.toFixed(4)} all, ${last.toFixed(4)} last third`)
    runs.push(precisions)
  }
  return runs
}

const allRounds = (precisions: Precisions): Precisions => precisions
const third =
  (at: number) =>
  (all: Precisions): Precisions =>
    all.slice(Math.floor((at * all.length) / 3), Math.floor(((at + 1) * all.length) / 3))
const meanOf = (runs: readonly Precisions[], part: (all: Precisions) => Precisions): number =>
  mean(runs.map((precisions) => mean(part(precisions))))

async function playSimulator(
  method: string,
  settings: MethodSettings,
  seed: number,
  { data, limit }: RowOptions,
): Promise<Precisions> {
  const race = await openRace({ world: { kind: 'ml-1m' }, method, settings, seed, data }, known)
  const precisions: number[] = []
  for (const { reward } of race.rows) {
    if (precisions.push(reward) >= limit) break
  }
  race.close()
  return precisions
}

interface Driving {
  readonly args: readonly string[]
  /** Whether to call `POST /v1/model/train` after every ten rounds and to report misses with reward 0. */
  readonly forcesTraining: boolean
}

async function playServed(
  seed: number,
  options: RowOptions,
  { args, forcesTraining }: Driving,
): Promise<Precisions> {
  const { data, folder, serve, limit } = options
  const world = await ml1m.create({}, seed, data)
  const store = join(folder, `${forcesTraining ? 'preset' : 'defaults'}-${seed}.db`)
  const service = await serveRen({
    ...options,
    store,
    args: [...args, '--seed', String(seed), ...serve],
  })
  await putItems(service, world.itemNames)
  const precisions: number[] = []
  let afterPosition = 0
  for (let round = world.nextRound(); round !== null; round = world.nextRound()) {
    const { user, count } = round
    const request = { user, count, excludeSeen: 'shown', afterPosition }
    const { recommendationId, items } = await service.recommend(request)
    const slate = items.map(({ item }) => item)
    const { reward, relevant } = world.respond(round, slate)
    const events = slate
      .map((item, slot) => ({ user, item, recommendationId, reward: Number(relevant[slot]) }))
      .filter((event) => forcesTraining || event.reward > 0)
    if (events.length > 0) afterPosition = await service.record(events)
    if (forcesTraining && round.endsInterval) await service.post('/v1/model/train', {})
    if (precisions.push(reward) >= limit) break
  }
  await service.stop()
  return precisions
}
