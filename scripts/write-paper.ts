// Fills paper/README.template.md with numbers from paper/results and writes paper/README.md, so that no
// measured number is typed by hand. With --check it only compares the result with the file.
//
// {{mean PLAN PANEL METHOD MEASURE}}           0.776 ± 0.009
// {{gap PLAN PANEL METHOD AGAINST MEASURE}}    +0.135 (+0.071 … +0.199), paired by seed
// {{grid MEASURE; PLAN PANEL | PLAN PANEL; METHOD | METHOD}}  means, one row per method
// {{gaps MEASURE; PLAN PANEL | PLAN PANEL; METHOD − AGAINST | METHOD − AGAINST}}
// {{pooled METHOD AGAINST MEASURE; PLAN PANEL | PLAN PANEL}}  the mean of such gaps
// {{runs}}                                     the runs of each plan, from its manifest
// Put names with spaces in double quotes.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Manifest } from '../paper/experiments/manifest.ts'
import { readRows } from '../paper/experiments/results-folder.ts'
import { estimate } from '../src/experiments/summary.ts'
import type { Summary } from '../src/experiments/summary.ts'
import { alignTable, formatDifference, formatEstimate } from '../paper/experiments/table.ts'
import { checkout } from './checkout.ts'

const results = join(checkout, 'paper', 'results')
export const templatePath = join(checkout, 'paper', 'README.template.md')
export const pagePath = join(checkout, 'paper', 'README.md')

type Fill = (text: string) => string

const fills: Readonly<Record<string, Fill>> = { mean, gap, grid, gaps, pooled, runs }

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
  const rows = list(methods!).map((method) => [
    method,
    ...list(places!).map((place) => {
      const [plan, panel] = words(place, 2)
      return formatEstimate(measureOf(plan!, panel!, method, measure!))
    }),
  ])
  return alignTable([['', ...list(places!).map(titleOf)], ...rows], 1)
}

function gaps(text: string): string {
  const [measure, places, pairs] = parts(text)
  const rows = list(pairs!).map((pair) => [
    pair,
    ...list(places!).map((place) => {
      const [plan, panel] = words(place, 2)
      const [method, against] = pair.split(' − ')
      return formatDifference(comparisonOf(plan!, panel!, method!, against!, measure!))
    }),
  ])
  return alignTable([['', ...list(places!).map(titleOf)], ...rows], 1)
}

/** Paired by seed: worlds with the same seed share their users and the order of their visits. */
function pooled(text: string): string {
  const [what, places] = parts(text)
  const [method, against, measure] = words(what!, 3)
  const gapsBySeed = new Map<number, number[]>()
  for (const place of list(places!)) {
    const [plan, panel] = words(place, 2)
    const valuesOf = (name: string) =>
      new Map(
        rowsOf(plan!)
          .filter((row) => row.panel === panel && row.method === name)
          .map((row) => [row.seed, row.measures[measure!]!]),
      )
    const other = valuesOf(against!)
    for (const [seed, value] of valuesOf(method!)) {
      gapsBySeed.set(seed, [...(gapsBySeed.get(seed) ?? []), value - other.get(seed)!])
    }
  }
  const perSeed = [...gapsBySeed.values()].map(
    (all) => all.reduce((sum, one) => sum + one, 0) / all.length,
  )
  return formatEstimate(estimate(perSeed))
}

const rowsOf = (plan: string) => readRows(join(results, plan, 'rows.ndjson'))

/** Command, seeds, commit and cost of every plan that has results. */
function runs(): string {
  const rows = readdirSync(results)
    .toSorted()
    .map((plan) => {
      const { sessions, seeds, kernel } = read(plan, 'manifest.json') as Manifest
      const cpu = sessions.reduce((sum, session) => sum + (session.cpuMilliseconds ?? 0), 0)
      const reused = sessions.reduce((sum, session) => sum + (session.taken ?? 0), 0)
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
  const found = summaryOf(plan).methods.find(
    (each) => each.panel === panel && each.method === method,
  )
  const value = found?.measures[measure]
  if (value !== undefined) return value
  throw new Error(`${plan} has no ${measure} of ${method} in ${panel}`)
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
  throw new Error(`expected ${count} words, got ${found.length} in ${text}`)
}

const parts = (text: string): string[] => text.split(';').map((part) => part.trim())
const list = (text: string): string[] => text.split('|').map((part) => part.trim())

if (import.meta.main) {
  const page = fillTemplate(readFileSync(templatePath, 'utf8'))
  if (!process.argv.includes('--check')) writeFileSync(pagePath, page)
  else if (readFileSync(pagePath, 'utf8') !== page) {
    console.error('paper/README.md is not what its template and paper/results say')
    process.exitCode = 1
  }
}
