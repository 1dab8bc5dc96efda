// npm run bench -- compare COMMIT [--runs 5] [NAME ...]: runs benchmarks alternately at an earlier commit
// and here. Prints which medians differ by more than 5% plus the spread of the earlier runs. Each run is saved
// in dist/, so an interrupted comparison of the same two commits continues where it stopped.

import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkout, environment, run as runCommand } from '../scripts/checkout.ts'
import { describeMachine, median } from './measure.ts'
import type { BenchReport, FigureReport } from './measure.ts'
import { addCheckout, removeCheckout } from './quality/base-checkout.ts'

const tolerance = 0.05
/** The units that have a better direction; ratios within a run follow from these values. */
const compared = new Set(['ms', 'MB', '/s'])

const sides = ['before', 'after'] as const

/** One run of a benchmark. */
interface Run {
  readonly name: string
  readonly turn: number
  readonly side: (typeof sides)[number]
  /** The load of the machine when the run began. */
  readonly load: number
  readonly figures: readonly Pick<FigureReport['figures'][number], 'figure' | 'value' | 'unit'>[]
}

/** One value per run, before and after. */
interface Series {
  readonly name: string
  readonly unit: string
  readonly before: number[]
  readonly after: number[]
}

export async function run(flags: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...flags],
    options: { runs: { type: 'string', default: '5' } },
    allowPositionals: true,
  })
  const [commit, ...names] = positionals
  if (commit === undefined || names.length === 0) {
    throw new Error('usage: npm run bench -- compare COMMIT [--runs 5] NAME ...')
  }
  const folder = mkdtempSync(join(tmpdir(), 'ren-compare-'))
  const base = addCheckout(commit, folder)
  const head = runCommand('git', ['rev-parse', '--short', 'HEAD']).trim()
  const file = join(checkout, 'dist', `compare-${commit}-${head}.ndjson`)
  try {
    const runs = names.flatMap((name) => compare(name, base, Number(values.runs), file))
    const loads = runs.map(({ load }) => load)
    console.log(
      `${describeMachine()}, ${commit} and ${head} in turns, ${values.runs} runs each, ` +
        `load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)} at their starts\n`,
    )
    for (const line of tableOf(seriesOf(runs))) console.log(line)
  } finally {
    removeCheckout(base)
    rmSync(folder, { recursive: true })
  }
}

function compare(name: string, base: string, turns: number, file: string): Run[] {
  const runs = savedRuns(file).filter((saved) => saved.name === name && saved.turn < turns)
  for (let turn = 0; turn < turns; turn++) {
    // The order alternates, so that caches and heat favor neither.
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      if (runs.some((saved) => saved.turn === turn && saved.side === side)) continue
      console.error(`${name}, run ${turn + 1} of ${turns}, ${side}`)
      const load = loadavg()[0]!
      const figures = measuredAt(side === 'before' ? base : checkout, name)
      const finished: Run = { name, turn, side, load, figures }
      runs.push(finished)
      appendFileSync(file, `${JSON.stringify(finished)}\n`)
    }
  }
  return runs
}

function savedRuns(file: string): Run[] {
  mkdirSync(dirname(file), { recursive: true })
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Run)
}

function seriesOf(runs: readonly Run[]): Series[] {
  const series = new Map<string, Series>()
  for (const { name, side, figures } of runs) {
    for (const { figure, value, unit } of figures) {
      const key = `${name}: ${figure}`
      const found = series.get(key) ?? { name: key, unit, before: [], after: [] }
      series.set(key, found)
      found[side].push(value)
    }
  }
  return [...series.values()]
}

function measuredAt(root: string, name: string): Run['figures'] {
  const result = spawnSync(process.execPath, ['bench/main.ts', name, '--json'], {
    cwd: root,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (result.status !== 0) throw new Error(`${name} failed in ${root}`)
  const report = JSON.parse(result.stdout) as BenchReport | FigureReport
  if ('figures' in report) return report.figures
  return report.cases.map((row) => ({
    figure: `${row.case}, ${row.engine}`,
    value: row.medianMs,
    unit: 'ms',
  }))
}

const verdictOf = (worse: number, spread: number): string =>
  worse > 1 + tolerance + spread ? '**worse**' : 'ok'

function* tableOf(series: readonly Series[]): Generator<string> {
  yield '| figure | before | after | after / before | spread before | verdict |'
  yield '| --- | ---: | ---: | ---: | ---: | --- |'
  for (const { name, unit, before, after } of series) {
    if (before.length === 0 || after.length === 0) {
      yield `| ${name} | | | | | only ${before.length === 0 ? 'after' : 'before'} |`
      continue
    }
    const [old, now] = [median(before), median(after)]
    const spread = (Math.max(...before) - Math.min(...before)) / old
    const ratio = now / old
    const verdict = compared.has(unit) ? verdictOf(unit === '/s' ? 1 / ratio : ratio, spread) : ''
    const digits = (value: number) => `${value.toPrecision(4)} ${unit}`.trim()
    yield `| ${name} | ${digits(old)} | ${digits(now)} | ${ratio.toFixed(3)} | ${spread.toFixed(3)} | ${verdict} |`
  }
}
