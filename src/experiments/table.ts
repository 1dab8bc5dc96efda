// A summary as tables for Markdown pages: means with their standard errors, and paired differences.

import type { Comparison, Estimate, Summary } from './summary.ts'

export interface TableSpec {
  readonly panels: readonly { readonly name: string; readonly title: string }[]
  readonly methods: readonly { readonly name: string; readonly label: string }[]
  readonly measures: readonly { readonly name: string; readonly label: string }[]
}

type Row = readonly string[]

/** A method a row, a measure in a panel a column; the comparisons, if there are any, beneath. */
export function markdownTable(spec: TableSpec, summary: Summary): string {
  const tables = [meansTable(spec, summary)]
  const differences = differenceRows(spec, summary)
  if (differences.length > 0)
    tables.push(
      alignTable(
        [['panel', 'measure', 'methods', 'difference (95 %)', 'seeds'], ...differences],
        3,
      ),
    )
  return `${tables.join('\n\n')}\n`
}

function meansTable({ panels, methods, measures }: TableSpec, summary: Summary): string {
  const columns = measures.flatMap((measure) => panels.map((panel) => ({ measure, panel })))
  const header = columns.map(({ measure, panel }) => {
    if (measures.length === 1) return panel.title
    return panels.length === 1 ? measure.label : `${measure.label}, ${panel.title}`
  })
  const rows = methods.map(({ name, label }) => [
    label,
    ...columns.map(({ measure, panel }) => {
      const found = summary.methods.find((of) => of.method === name && of.panel === panel.name)
      const value = found?.measures[measure.name]
      return value ? formatEstimate(value) : '–'
    }),
  ])
  return alignTable([['method', ...header], ...rows], 1)
}

/** The comparisons of the panels, methods and measures that the table shows. */
function differenceRows({ panels, methods, measures }: TableSpec, summary: Summary): Row[] {
  const titles = new Map(panels.map(({ name, title }) => [name, title]))
  const labels = new Map(methods.map(({ name, label }) => [name, label]))
  const measureLabels = new Map(measures.map(({ name, label }) => [name, label]))
  return summary.comparisons.flatMap((comparison) => {
    const panel = titles.get(comparison.panel)
    const measure = measureLabels.get(comparison.measure)
    const method = labels.get(comparison.method)
    const against = labels.get(comparison.against)
    if (!panel || !measure || !method || !against) return []
    const seeds = String(comparison.difference.count)
    return [[panel, measure, `${method} − ${against}`, formatDifference(comparison), seeds]]
  })
}

/** `0.776 ± 0.009`; the mean alone where one run tells nothing of its error. */
export function formatEstimate(estimate: Estimate): string {
  const places = decimals(estimate)
  const mean = fixed(estimate.mean, places)
  return estimate.count > 1 ? `${mean} ± ${fixed(estimate.standardError, places)}` : mean
}

/** `+0.135 (+0.071 … +0.199)`. */
export function formatDifference({ difference, lower, upper }: Comparison): string {
  const places = decimals(difference)
  const [mean, from, to] = [difference.mean, lower, upper].map((value) => {
    const text = fixed(value, places)
    return Number(text) > 0 ? `+${text}` : text
  })
  return `${mean} (${from} … ${to})`
}

// As many decimals as the error bears out: two of its digits where it begins with 1, 2 or 3, else
// one; never more than four.
function decimals({ standardError }: Estimate): number {
  if (standardError === 0) return 4
  const [leading, exponent] = standardError.toExponential(0).split('e')
  return Math.min(4, Math.max(0, (Number(leading) < 4 ? 1 : 0) - Number(exponent)))
}

/** With the sign of mathematics, and none on a nought. */
function fixed(value: number, places: number): string {
  const text = value.toFixed(places)
  return text.replace('-', Number(text) === 0 ? '' : '−')
}

// Columns of one width, as the repository's formatter writes them: words to the left, figures to
// the right.
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
