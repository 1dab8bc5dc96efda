// npm run bench -- compare COMMIT [--runs 5] [NAME ...]: runs benchmarks alternately at an earlier commit
// and here. Prints which medians differ by more than 5% plus the spread of the earlier runs.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkout, environment } from '../scripts/checkout.ts'
import { describeMachine, median } from './measure.ts'
import type { BenchReport, FigureReport } from './measure.ts'
import { addCheckout, removeCheckout } from './quality/base-checkout.ts'

const tolerance = 0.05
/** The units that have a better direction; ratios within a run follow from these values. */
const compared = new Set(['ms', 'MB', '/s'])

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
  try {
    const series = names.flatMap((name) => compare(name, base, Number(values.runs)))
    console.log(
      `${describeMachine()}, ${commit} and this commit in turns, ${values.runs} runs each\n`,
    )
    for (const line of tableOf(series)) console.log(line)
  } finally {
    removeCheckout(base)
    rmSync(folder, { recursive: true })
  }
}

function compare(name: string, base: string, runs: number): Series[] {
  const series = new Map<string, Series>()
  for (let turn = 0; turn < runs; turn++) {
    // The order alternates, so that caches and heat favor neither.
    const sides = [['before', base] as const, ['after', checkout] as const]
    for (const [side, root] of turn % 2 === 0 ? sides : sides.toReversed()) {
      console.error(`${name}, run ${turn + 1} of ${runs}, ${side}`)
      for (const { figure, value, unit } of measuredAt(root, name)) {
        const key = `${name}: ${figure}`
        const found = series.get(key) ?? { name: key, unit, before: [], after: [] }
        series.set(key, found)
        found[side].push(value)
      }
    }
  }
  return [...series.values()]
}

function measuredAt(root: string, name: string) {
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
