// A summary as Markdown tables: means with their standard errors, and paired differences.

import type { Comparison, Estimate, Summary } from '../../src/experiments/summary.ts'

/** The parts of a plan that determine its table. */
export interface TableSpec {
  readonly panels: readonly Titled[]
  readonly methods: readonly { readonly name: string }[]
  readonly table: { readonly measures: readonly Titled[] }
}

interface Titled {
  readonly name: string
  readonly title: string
}

type Row = readonly string[]

/** A table with one row per method and one column per measure and panel, then a table of comparisons. */
export function markdownTable(spec: TableSpec, summary: Summary): string {
  const tables = [meansTable(spec, summary)]
  const differences = differenceRows(spec, summary)
  const header = ['panel', 'measure', 'methods', 'difference (95%)', 'seeds']
  if (differences.length > 0) tables.push(alignTable([header, ...differences], 3))
  return `${tables.join('\n\n')}\n`
}

function meansTable({ panels, methods, table }: TableSpec, summary: Summary): string {
  const cell = (panel: Titled, method: string, measure: Titled): string => {
    const found = summary.methods.find((of) => of.method === method && of.panel === panel.name)
    const value = found?.measures[measure.name]
    return value ? formatEstimate(value) : '–'
  }
  return panels.length > methods.length
    ? panelRows({ panels, methods, table }, cell)
    : methodRows({ panels, methods, table }, cell)
}

type Cell = (panel: Titled, method: string, measure: Titled) => string

function methodRows({ panels, methods, table: { measures } }: TableSpec, cell: Cell): string {
  const columns = measures.flatMap((measure) => panels.map((panel) => ({ measure, panel })))
  const header = columns.map(({ measure, panel }) => {
    if (measures.length === 1) return panel.title
    return panels.length === 1 ? measure.title : `${measure.title}, ${panel.title}`
  })
  const rows = methods.map(({ name }) => [
    name,
    ...columns.map(({ measure, panel }) => cell(panel, name, measure)),
  ])
  return alignTable([['method', ...header], ...rows], 1)
}

/** For many panels: one row per panel, and one column per measure and method. */
function panelRows({ panels, methods, table: { measures } }: TableSpec, cell: Cell): string {
  const columns = measures.flatMap((measure) => methods.map(({ name }) => ({ measure, name })))
  const header = columns.map(({ measure, name }) =>
    measures.length === 1 ? name : `${measure.title}, ${name}`,
  )
  const rows = panels.map((panel) => [
    panel.title,
    ...columns.map(({ measure, name }) => cell(panel, name, measure)),
  ])
  return alignTable([['panel', ...header], ...rows], 1)
}

/** The comparisons by the measures of the table. */
function differenceRows({ panels, table }: TableSpec, { comparisons }: Summary): Row[] {
  return comparisons.flatMap((comparison) => {
    const panel = panels.find(({ name }) => name === comparison.panel)
    const measure = table.measures.find(({ name }) => name === comparison.measure)
    if (!panel || !measure) return []
    const methods = `${comparison.method} − ${comparison.against}`
    const seeds = String(comparison.difference.count)
    return [[panel.title, measure.title, methods, formatDifference(comparison), seeds]]
  })
}

/** Such as `0.776 ± 0.009`; `5103 ± 0` if all runs are equal; only the mean for a single run. */
export function formatEstimate(estimate: Estimate): string {
  const places = decimals(estimate)
  const mean = fixed(estimate.mean, places)
  if (estimate.count === 1) return mean
  return `${mean} ± ${isConstant(estimate) ? 0 : fixed(estimate.standardError, places)}`
}

/** Such as `+0.135 (+0.071 … +0.199)`. */
export function formatDifference({ difference, lower, upper }: Comparison): string {
  const places = decimals(difference)
  const [mean, from, to] = [difference.mean, lower, upper].map((value) => {
    const text = fixed(value, places)
    return Number(text) > 0 ? `+${text}` : text
  })
  return `${mean} (${from} … ${to})`
}

/**
 * Decimals for two significant digits of an error that starts with 1, 2 or 3, else for one; at most four.
 * A constant has four significant digits, or none after the point if it is an integer.
 */
function decimals(estimate: Estimate): number {
  const { mean, standardError } = estimate
  if (isConstant(estimate)) return Number.isInteger(mean) ? 0 : within(3 - exponentOf(mean))
  const leading = Number(standardError.toExponential(0)[0])
  return within((leading < 4 ? 1 : 0) - exponentOf(standardError))
}

/** Sums of equal numbers may differ in their last bits. */
const isConstant = ({ mean, standardError }: Estimate): boolean =>
  standardError <= 1e-12 * Math.abs(mean)

/** Of the first digit, after rounding to it. */
const exponentOf = (value: number): number => Number(value.toExponential(0).split('e')[1])
const within = (places: number): number => Math.min(4, Math.max(0, places))

/** With a minus sign instead of a hyphen, and without a sign for 0. */
function fixed(value: number, places: number): string {
  const text = value.toFixed(places)
  return text.replace('-', Number(text) === 0 ? '' : '−')
}

/** Aligns columns as the formatter does: `wordColumns` to the left, numbers to the right. */
export function alignTable(cells: readonly Row[], wordColumns: number): string {
  const table = cells.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = table[0]!.map((_, column) =>
    Math.max(3, ...table.map((row) => row[column]!.length)),
  )
  const pad = (cell: string, column: number) =>
    column < wordColumns ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
  const rule = widths.map((width, column) =>
    column < wordColumns ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  const [header, ...rows] = table.map((row) => row.map(pad))
  return [header!, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
