// ren race: two or more methods side by side in one world, drawn while they learn.

import { setImmediate } from 'node:timers/promises'

import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'

import { mean } from '../core/mean.ts'
import { openRace } from '../experiments/race.ts'
import type { OpenRace } from '../experiments/race.ts'
import { bestSynReward, rollingMean } from '../simulation/index.ts'
import { count } from './counts.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { integer, seedsOption } from './option-values.ts'
import { drawChart } from './terminal-chart.ts'

interface RaceOptions {
  readonly world: 'syn-s' | 'syn-m' | 'syn-l'
  readonly methods: readonly string[]
  readonly steps: number
  readonly seeds: readonly number[]
  readonly json?: true
}

interface Runner {
  readonly method: string
  readonly races: readonly OpenRace[]
  readonly rows: readonly Iterator<unknown>[]
}

const pointEvery = 10
/** Where the curve of a young run is not noise alone. */
const smoothing = 60

export function addRace(program: Command): void {
  program
    .command('race')
    .description('compare methods live in a synthetic world of the paper')
    .option('--world <name>', 'syn-s, syn-m or syn-l', worldOption, 'syn-s')
    .option('--methods <names>', 'separated by commas', (text) => text.split(','), [
      'ren-g',
      'gru4rec',
    ])
    .option('--steps <n>', 'rounds', integer(pointEvery), 600)
    .option('--seeds <range>', 'seeds whose mean is plotted', seedsOption, [1, 2, 3])
    .option('--json', 'print one JSON document')
    .action(race)
}

function worldOption(text: string): string {
  if (['syn-s', 'syn-m', 'syn-l'].includes(text)) return text
  throw new InvalidArgumentError('Expected syn-s, syn-m or syn-l.')
}

async function race(options: RaceOptions): Promise<void> {
  const { world, methods, steps, seeds, json } = options
  const runners = await Promise.all(methods.map((method) => enterRace(method, options)))
  const live = json === undefined && process.stdout.isTTY
  if (!json) console.log(introduction(options))
  try {
    const whole = await untilInterrupted((signal) => run(runners, options, live, signal))
    if (json) console.log(JSON.stringify({ world, seeds, steps, methods: runners.map(resultOf) }))
    else
      console.log(`${live ? '' : `${chartOf(runners, steps)}\n`}\n${conclusion(runners, options)}`)
    if (!whole) process.exitCode = 130
  } finally {
    for (const { races } of runners) for (const { close } of races) close()
  }
}

async function enterRace(method: string, { world: kind, steps, seeds }: RaceOptions) {
  const world = { kind, steps, feedback: 'shown' }
  const races = await Promise.all(
    seeds.map((seed) => openRace({ world, method, settings: {}, seed })),
  )
  return { method, races, rows: races.map((each) => each.rows[Symbol.iterator]()) }
}

/** All runners a few rounds at a time, so that they stay side by side. */
async function run(
  runners: readonly Runner[],
  { steps }: RaceOptions,
  live: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  let drawn = 0
  for (let step = 0; step < steps; step += pointEvery) {
    for (const { rows } of runners) {
      for (const row of rows) for (let i = 0; i < pointEvery; i++) row.next()
    }
    if (live) drawn = redraw(chartOf(runners, steps), drawn)
    await setImmediate()
    if (signal.aborted) return false
  }
  return true
}

/** Over what was drawn before, of that many lines; how many there are now. */
function redraw(chart: string, before: number): number {
  process.stdout.write(`${before > 0 ? `\u001b[${before}A\u001b[J` : ''}${chart}\n`)
  return chart.split('\n').length
}

function chartOf(runners: readonly Runner[], steps: number): string {
  const curves = runners.map((runner) => ({ label: runner.method, values: curveOf(runner) }))
  const values = curves.flatMap((curve) => curve.values)
  return drawChart(curves, steps, {
    points: Math.floor(steps / pointEvery),
    reference: { label: 'the best there is', value: bestSynReward },
    range: [Math.min(0.5, ...values), Math.max(0.85, ...values)],
  })
}

/** The rolling mean over all seeds, every few rounds. */
function curveOf({ races }: Runner): number[] {
  const played = races[0]!.tally.rewards.length
  const at = Array.from({ length: Math.floor(played / pointEvery) }, (_, i) => (i + 1) * pointEvery)
  const curves = races.map(({ tally }) => rollingMean(tally.rewards, at, smoothing))
  return at.map((_, point) => mean(curves.map((curve) => curve[point]!)))
}

function resultOf({ method, races }: Runner) {
  const metrics = races.map(({ tally }) => tally.metrics())
  const meanOf = (name: 'finalReward' | 'meanReward' | 'cumulativeRegret' | 'coverage') =>
    mean(metrics.map((each) => each[name]))
  return {
    method,
    finalReward: meanOf('finalReward'),
    meanReward: meanOf('meanReward'),
    cumulativeRegret: meanOf('cumulativeRegret'),
    coverage: meanOf('coverage'),
  }
}

function introduction({ world, methods, seeds, steps }: RaceOptions): string {
  const names = new Intl.ListFormat('en-GB').format(methods)
  return (
    `${names} in ${world}: 15 users, four items shown a round, ${steps} rounds, ` +
    `mean of ${count(seeds.length, 'run')}.\n` +
    'What is shown is all there is to learn from. Reward of the item taken:\n'
  )
}

function conclusion(runners: readonly Runner[], { world, seeds }: RaceOptions): string {
  const lines = runners.map(resultOf).map(({ method, finalReward, coverage }) => {
    const name = method.padEnd(Math.max(...runners.map((runner) => runner.method.length)))
    const share = Math.round(100 * coverage)
    return `${name}  ${finalReward.toFixed(3)} in the last 100 rounds, ${share} % of the items tried`
  })
  return [
    ...lines,
    `\nSeeds: ${seeds.join(', ')}. ${count(seeds.length, 'run')} can show the idea, not prove it: paper/README.md`,
    `has every experiment of the paper, ${world} among them, with 20 seeds and the methods that do as well.`,
  ].join('\n')
}
