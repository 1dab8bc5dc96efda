// Fills paper/README.template.md with numbers from paper/results and writes paper/README.md, so that no
// measured number is typed by hand. The table of policies in docs/exploration.md is filled too. With
// --check it only compares the results with the files.
//
// {{mean PLAN PANEL METHOD MEASURE}}           0.776 ± 0.009
// {{gap PLAN PANEL METHOD AGAINST MEASURE}}    +0.135 (+0.071 … +0.199), paired by seed
// {{grid MEASURE; PLAN PANEL | PLAN PANEL; METHOD | METHOD}}  means, one row per method
// {{gaps MEASURE; PLAN PANEL | PLAN PANEL; METHOD − AGAINST | METHOD − AGAINST}}
// {{pooled METHOD AGAINST MEASURE; PLAN PANEL | PLAN PANEL}}  the mean of such gaps
// {{share PLAN PANEL METHOD MEASURE}}          5 of 20: the runs within 1% of the oracle's value
// {{shares MEASURE; PLAN PANEL | PLAN PANEL; METHOD | METHOD}}
// {{saturation PLAN PANEL | PLAN PANEL; METHOD | METHOD}}  the step from which a curve stays near its end
// {{flat PLAN PANEL METHOD}}                   the round after which the mean regret grows by less than 1%
// {{seeds PLAN}}                              the number of seeds
// {{bars POLICY; PLAN | PLAN}}                 in how many worlds a policy meets its bars, and where not
// {{runs}}                                     the runs of each plan, from its manifest
// Put names with spaces in double quotes.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import {
  bakeOffPlans,
  bakeOffTable,
  regretBars,
  worldsOf,
  type World,
} from '../paper/experiments/bake-off.ts'
import type { Manifest } from '../paper/experiments/manifest.ts'
import { readRows } from '../paper/experiments/results-folder.ts'
import { mean as average } from '../src/core/statistics.ts'
import type { RunRow } from '../src/experiments/protocol.ts'
import { estimate } from '../src/experiments/summary.ts'
import type { MethodSummary, Summary } from '../src/experiments/summary.ts'
import { alignTable, formatDifference, formatEstimate } from '../paper/experiments/table.ts'
import { checkout } from './checkout.ts'

const results = join(checkout, 'paper', 'results')
export const templatePath = join(checkout, 'paper', 'README.template.md')
export const pagePath = join(checkout, 'paper', 'README.md')
export const explorationPath = join(checkout, 'docs', 'exploration.md')

type Fill = (text: string) => string

const fills: Readonly<Record<string, Fill>> = {
  mean,
  gap,
  grid,
  gaps,
  pooled,
  share,
  shares,
  saturation,
  flat,
  seeds: seedCount,
  bars,
  runs,
}

export function fillTemplate(template: string): string {
  return template.replaceAll(/\{\{(\w+)\s*([^}]*)\}\}/g, (_, name: string, rest: string) => {
    const fill = fills[name]
    if (fill === undefined) throw new Error(`unknown placeholder ${name}`)
    return fill(rest.trim())
  })
}

function mean(text: string): string {
  const [plan, panel, method, measure] = words(text, 4)
  return formatEstimate(measureOf(plan!, panel!, method!, measure!))
}

function gap(text: string): string {
  const [plan, panel, method, against, measure] = words(text, 5)
  return formatDifference(comparisonOf(plan!, panel!, method!, against!, measure!))
}

function grid(text: string): string {
  const [measure, places, methods] = parts(text)
  return tableOf(places!, methods!, (plan, panel, method) =>
    formatEstimate(measureOf(plan, panel, method, measure!)),
  )
}

function gaps(text: string): string {
  const [measure, places, pairs] = parts(text)
  return tableOf(places!, pairs!, (plan, panel, pair) => {
    const [method, against] = pair.split(' − ')
    return formatDifference(comparisonOf(plan, panel, method!, against!, measure!))
  })
}

function share(text: string): string {
  const [plan, panel, method, measure] = words(text, 4)
  return shareOf(plan!, panel!, method!, measure!)
}

function shares(text: string): string {
  const [measure, places, methods] = parts(text)
  return tableOf(places!, methods!, (plan, panel, method) => shareOf(plan, panel, method, measure!))
}

/** Rows have six decimals. */
const rounding = 1e-6

function shareOf(plan: string, panel: string, method: string, measure: string): string {
  const optimum = bySeed(plan, panel, 'Oracle', measure)
  const values = [...bySeed(plan, panel, method, measure)]
  const near = values.filter(([seed, value]) => value >= 0.99 * optimum.get(seed)! - rounding)
  return `${near.length} of ${values.length}`
}

function saturation(text: string): string {
  const [places, methods] = parts(text)
  return tableOf(places!, methods!, (plan, panel, method) =>
    String(saturationStep(methodOf(plan, panel, method))),
  )
}

/** Relative to the mean of the last quarter; at 20 seeds a standard error is about 2%. */
const saturationReach = 0.02

/** The first step from which the rolling mean stays near the mean of the last quarter. */
export function saturationStep({ at, series }: Pick<MethodSummary, 'at' | 'series'>): number {
  const curve = series['reward']!.map(({ mean: value }) => value)
  const level = average(curve.filter((_, i) => at[i]! > 0.75 * at.at(-1)!))
  const lastFar = curve.findLastIndex((value) => Math.abs(value - level) > saturationReach * level)
  return at[Math.min(lastFar + 1, at.length - 1)]!
}

/** The first round of the curve from which the mean regret is within 1% of the final one. */
function flat(text: string): string {
  const [plan, panel, method] = words(text, 3)
  const { at, series } = methodOf(plan!, panel!, method!)
  const curve = series['regret']!.map(({ mean: value }) => value)
  return at[curve.findIndex((value) => value >= 0.99 * curve.at(-1))]!.toLocaleString('en')
}

type Cell = (plan: string, panel: string, row: string) => string

/** One row per name, one column per place. */
function tableOf(places: string, names: string, cell: Cell): string {
  const rows = list(names).map((name) => [
    name,
    ...list(places).map((place) => {
      const [plan, panel] = words(place, 2)
      return cell(plan!, panel!, name)
    }),
  ])
  return alignTable([['', ...list(places).map(titleOf)], ...rows], 1)
}

/** Paired by seed: worlds with the same seed share their users and the order of their visits. */
function pooled(text: string): string {
  const [what, places] = parts(text)
  const [method, against, measure] = words(what!, 3)
  const gapsBySeed = new Map<number, number[]>()
  for (const place of list(places!)) {
    const [plan, panel] = words(place, 2)
    const other = bySeed(plan!, panel!, against!, measure!)
    for (const [seed, value] of bySeed(plan!, panel!, method!, measure!)) {
      gapsBySeed.set(seed, [...(gapsBySeed.get(seed) ?? []), value - other.get(seed)!])
    }
  }
  return formatEstimate(estimate([...gapsBySeed.values()].map(average)))
}

/** The values of a measure by seed. */
function bySeed(
  plan: string,
  panel: string,
  method: string,
  measure: string,
): ReadonlyMap<number, number> {
  const rows = rowsOf(plan).filter((row) => row.panel === panel && row.method === method)
  if (rows.length === 0) throw new Error(`${plan} has no ${method} in ${panel}`)
  return new Map(rows.map((row) => [row.seed, row.measures[measure]!]))
}

const rowsCache = new Map<string, readonly RunRow[]>()
function rowsOf(plan: string): readonly RunRow[] {
  const rows = rowsCache.get(plan) ?? readRows(join(results, plan, 'rows.ndjson'))
  rowsCache.set(plan, rows)
  return rows
}

function bars(text: string): string {
  const [policy, plans] = parts(text)
  const { worlds, unbeaten, near, beaten, far } = regretBars(
    list(plans!).flatMap(worldsIn),
    policy!,
  )
  const percent = (count: number): string => `${Math.round((100 * count) / worlds)}%`
  const names = (found: readonly string[]): string =>
    found.length === 0 ? 'none' : found.join('; ')
  return [
    `- No method is better by more than its interval: ${unbeaten} of ${worlds} worlds (${percent(unbeaten)}). Exceptions: ${names(beaten)}.`,
    `- The regret is within 10% of the lowest: ${near} of ${worlds} worlds (${percent(near)}). Exceptions: ${names(far)}.`,
  ].join('\n')
}

/** The worlds of a plan, with the seeds that all its methods have. */
function worldsIn(plan: string): readonly World[] {
  const {
    plan: { panels },
    seeds,
  } = read(plan, 'manifest.json') as Manifest
  return worldsOf({ panels, rows: rowsOf(plan).filter(({ seed }) => seeds.includes(seed)) })
}

const marks = { start: '<!-- bake-off -->', end: '<!-- /bake-off -->' }

/** docs/exploration.md with the table of all plans of the bake-off that have results. */
export function fillExploration(text: string): string {
  const plans = bakeOffPlans.filter((plan) => existsSync(join(results, plan, 'summary.json')))
  const from = text.indexOf(marks.start) + marks.start.length
  const to = text.indexOf(marks.end)
  const table = bakeOffTable(plans.flatMap(worldsIn))
  return `${text.slice(0, from)}\n\n${table}\n\n${text.slice(to)}`
}

function seedCount(plan: string): string {
  return String((read(plan, 'manifest.json') as Manifest).seeds.length)
}

/** Command, seeds, commit and cost of every plan that has results. */
function runs(): string {
  const rows = readdirSync(results)
    .toSorted()
    .map((plan) => {
      const { sessions, seeds, kernel } = read(plan, 'manifest.json') as Manifest
      const cpu = sessions.reduce((sum, session) => sum + (session.cpuMilliseconds ?? 0), 0)
      const reused = sessions.reduce((sum, session) => sum + (session.copied ?? 0), 0)
      const memory = Math.max(...sessions.map((session) => session.peakMemory ?? 0))
      const commits = [...new Set(sessions.map(({ commit }) => commit?.slice(0, 9) ?? '–'))]
      const { machine, node } = sessions.at(-1)!
      return [
        `[${plan}](results/${plan}/table.md)`,
        `${seeds[0]}–${seeds.at(-1)}`,
        commits.join(', '),
        `${(cpu / 60_000).toFixed(1)} min${reused > 0 ? `, ${reused} runs reused` : ''}`,
        `${(memory / 2 ** 20).toFixed(0)} MB`,
        `${machine.cpu}, ${machine.cores} cores, Node ${node}, ${kernel}`,
      ]
    })
  const header = ['ren reproduce …', 'seeds', 'commit', 'CPU time', 'peak memory', 'machine']
  return alignTable([header, ...rows], 1)
}

/** The title of a column, such as `syn-s selected`. */
const titleOf = (place: string): string => words(place, 2).join(' ').replaceAll('"', '')

function measureOf(plan: string, panel: string, method: string, measure: string) {
  const value = methodOf(plan, panel, method).measures[measure]
  if (value !== undefined) return value
  throw new Error(`${plan} has no ${measure} of ${method} in ${panel}`)
}

function methodOf(plan: string, panel: string, method: string): MethodSummary {
  const found = summaryOf(plan).methods.find(
    (each) => each.panel === panel && each.method === method,
  )
  if (found !== undefined) return found
  throw new Error(`${plan} has no ${method} in ${panel}`)
}

function comparisonOf(
  plan: string,
  panel: string,
  method: string,
  against: string,
  measure: string,
) {
  const found = summaryOf(plan).comparisons.find(
    (each) =>
      each.panel === panel &&
      each.method === method &&
      each.against === against &&
      each.measure === measure,
  )
  if (found !== undefined) return found
  throw new Error(`${plan} does not compare ${measure} of ${method} and ${against} in ${panel}`)
}

const summaries = new Map<string, Summary>()
function summaryOf(plan: string): Summary {
  const summary = summaries.get(plan) ?? (read(plan, 'summary.json') as Summary)
  summaries.set(plan, summary)
  return summary
}

function read(plan: string, file: string): unknown {
  return JSON.parse(readFileSync(join(results, plan, file), 'utf8'))
}

/** Splits at spaces, except inside double quotes. */
function words(text: string, count: number): string[] {
  const found = Array.from(
    text.matchAll(/"([^"]*)"|(\S+)/g),
    ([, quoted, plain]) => quoted ?? plain!,
  )
  if (found.length === count) return found
  throw new Error(`there must be ${count} words, got ${found.length} in ${text}`)
}

const parts = (text: string): string[] => text.split(';').map((part) => part.trim())
const list = (text: string): string[] => text.split('|').map((part) => part.trim())

if (import.meta.main) {
  const page = fillTemplate(readFileSync(templatePath, 'utf8'))
  const exploration = fillExploration(readFileSync(explorationPath, 'utf8'))
  for (const [path, text] of [
    [pagePath, page],
    [explorationPath, exploration],
  ] as const) {
    if (!process.argv.includes('--check')) writeFileSync(path, text)
    else if (readFileSync(path, 'utf8') !== text) {
      console.error(`${path} is not what its template and paper/results say`)
      process.exitCode = 1
    }
  }
}
