// ren simulate: runs one method in one world and reports its reward.

import type { Command } from 'commander'

import { requireContestant } from '../experiments/contestants.ts'
import { openRace, type OpenRace } from '../experiments/race.ts'
import { worldOf, worlds } from '../experiments/worlds/index.ts'
import { rollingMean } from '../simulation/index.ts'
import { createYield, untilInterrupted } from './interrupt-signal.ts'
import { integer, keyValue, type OptionValue } from './option-values.ts'
import { showStatus } from './status-line.ts'

interface SimulateOptions {
  readonly world: string
  readonly method: string
  readonly seed: number
  readonly steps?: number
  readonly feedback?: string
  readonly set?: Readonly<Record<string, OptionValue>>
  readonly json?: true
}

const curveEvery = 50

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description('run one method in one simulated world and report its reward')
    .requiredOption('--world <name>', `one of ${Object.keys(worlds).join(', ')}`)
    .requiredOption('--method <name>', 'ren-g, gru4rec, sasrec+ren, oracle, …')
    .option('--feedback <kind>', 'feedback model: selected or shown, in worlds that have both')
    .option('--steps <n>', 'rounds, in worlds without a fixed end', integer(1))
    .option('--seed <n>', 'seed of the world and the method', integer(0), 1)
    .option(
      '--set <key=value>',
      'a setting of the world or the method, see ren methods; repeatable',
      keyValue,
    )
    .option('--json', 'print one JSON document')
    .action(simulate)
}

async function simulate(options: SimulateOptions): Promise<void> {
  const { method, seed, json } = options
  const start = performance.now()
  const { world, settings } = sortSettings(options)
  const race = await openRace({ world, method, settings, seed })
  try {
    const isComplete = await showStatus((show) =>
      play(race, (step) => show(step / race.steps, () => `step ${step} of ${race.steps}`)),
    )
    const report = reportOf(options, race, performance.now() - start)
    console.log(json ? JSON.stringify(report) : toText(report))
    if (!isComplete) process.exitCode = 130
  } finally {
    race.close()
  }
}

/** Divides the settings between the world and the method; the world has precedence. */
function sortSettings(options: SimulateOptions) {
  const { world: kind, method, steps, feedback, set = {} } = options
  const known = worldOf(kind).settings
  const ofWorld = (key: string): boolean => known.includes(key)
  const entries = Object.entries(set)
  const world = {
    ...Object.fromEntries(entries.filter(([key]) => ofWorld(key))),
    ...(steps !== undefined && { steps }),
    ...(feedback !== undefined && { feedback }),
  }
  const settings = Object.fromEntries(entries.filter(([key]) => !ofWorld(key)))
  worldOf(kind).check(world)
  requireContestant(method, settings)
  return { world: { ...world, kind }, settings }
}

/** Plays until the end or Ctrl-C. Returns whether all rounds were played. */
function play({ rows }: OpenRace, show: (step: number) => void): Promise<boolean> {
  return untilInterrupted(async (signal) => {
    const yieldToSignals = createYield()
    for (const { step } of rows) {
      show(step)
      await yieldToSignals()
      if (signal.aborted) return false
    }
    return true
  })
}

function reportOf(
  { world, method, seed }: SimulateOptions,
  { tally }: OpenRace,
  milliseconds: number,
) {
  const { finalReward, meanReward, cumulativeRegret } = tally.metrics()
  const steps = tally.rewards.length
  const at = Array.from({ length: Math.floor(steps / curveEvery) }, (_, i) => (i + 1) * curveEvery)
  return {
    world,
    method,
    seed,
    /** Fewer than requested after an interruption. */
    steps,
    finalReward,
    meanReward,
    cumulativeRegret,
    /** The rolling mean of 100 rewards at every 50th step. */
    curve: rollingMean(tally.rewards, at),
    milliseconds: Math.round(milliseconds),
  }
}

function toText(report: ReturnType<typeof reportOf>): string {
  const { world, method, seed, steps } = report
  const rows = [
    ['final reward', report.finalReward.toFixed(4), 'mean of the last 100 rounds'],
    ['mean reward', report.meanReward.toFixed(4), `of all ${steps} rounds`],
    ['regret', report.cumulativeRegret.toFixed(1), 'compared with the best slate of every round'],
  ].map(([name, value, note]) => `${name!.padEnd(14)}${value!.padStart(8)}  ${note}`)
  return [`${method} in ${world}, seed ${seed}`, ...rows].join('\n')
}
