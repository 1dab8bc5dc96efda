// What `ren plot` does: picks curves out of a summary, and draws them.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { RenError } from '../core/errors.ts'
import type { CurvesFigure } from '../experiments/figures/figure.ts'
import type { Estimate, MethodSummary, Summary } from '../experiments/summary.ts'
import { describeFailure } from './file-failure.ts'
import type { PlotOptions } from './plot.ts'
import { drawChart } from './terminal-chart.ts'

interface Curves {
  readonly plan: string
  readonly panel: string
  readonly series: string
  readonly curves: readonly {
    readonly method: string
    readonly at: readonly number[]
    readonly points: readonly Estimate[]
  }[]
}

export async function runPlot(results: string, options: PlotOptions): Promise<void> {
  const summary = await readSummary(results)
  const chosen = choose(summary, options)
  if (options.out !== undefined) await drawPicture(options.out, chosen, summary)
  if (options.json) console.log(JSON.stringify(chosen))
  else console.log(options.out === undefined ? toText(chosen) : `wrote ${options.out}`)
}

async function readSummary(results: string): Promise<Summary> {
  const path = join(results, 'summary.json')
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new RenError('results-unusable', describeFailure('read', path, cause), { cause })
  })
  const summary = parse(path, text)
  if (Array.isArray(summary.methods) && summary.methods.length > 0) return summary
  throw new RenError('results-unusable', `${path}: expected the summary of some methods, got none`)
}

function parse(path: string, text: string): Summary {
  try {
    return JSON.parse(text) as Summary
  } catch (cause) {
    throw new RenError('results-unusable', `${path}: expected JSON`, { cause })
  }
}

function choose({ plan, methods: all }: Summary, options: PlotOptions): Curves {
  const panel = oneOf('--panel', options.panel, [...new Set(all.map((method) => method.panel))])
  const inPanel = all.filter((method) => method.panel === panel)
  const names = inPanel.map(({ method }) => method)
  const wanted = options.methods?.map((name) => oneOf('--methods', name, names)) ?? names
  const drawn = inPanel.filter(({ method }) => wanted.includes(method))
  const series = oneOf('--series', options.series, seriesOf(drawn))
  const curves = drawn.flatMap(({ method, at, series: { [series]: points } }) =>
    points ? [{ method, at, points }] : [],
  )
  return { plan, panel, series, curves }
}

const seriesOf = (methods: readonly MethodSummary[]): string[] => [
  ...new Set(methods.flatMap(({ series }) => Object.keys(series))),
]

/** The first unless one is asked for. */
function oneOf(option: string, asked: string | undefined, known: readonly string[]): string {
  const found = asked === undefined ? known[0] : known.find((name) => name === asked)
  if (found !== undefined) return found
  const there = known.length > 0 ? `there are ${known.join(', ')}` : 'there is none'
  throw new RenError('invalid-argument', `${option}: nothing is called ${asked}; ${there}`)
}

function toText({ plan, panel, series, curves }: Curves): string {
  const lines = curves.map(({ method, points }) => ({
    label: method,
    values: points.map(({ mean }) => mean),
  }))
  const steps = Math.max(...curves.map(({ at }) => at.at(-1) ?? 0))
  const width = Math.max(...curves.map(({ method }) => method.length))
  const ends = curves.map(({ method, points }) => {
    const { mean, standardError, count } = points.at(-1)!
    return `${method.padEnd(width)}  ${mean.toFixed(4)} ± ${standardError.toFixed(4)} (${count} seeds)`
  })
  return [
    `${plan}, ${panel}: ${series}\n`,
    drawChart(lines, steps),
    `\nIn the end, mean ± standard error:`,
    ...ends,
  ].join('\n')
}

async function drawPicture(path: string, chosen: Curves, summary: Summary): Promise<void> {
  const format = /\.(svg|png)$/.exec(path)?.[1]
  if (format === undefined) {
    throw new RenError('invalid-argument', `--out: expected a name in .svg or .png, got ${path}`)
  }
  const { drawFigure, toPng, hueCount } = await loadDrawing()
  if (chosen.curves.length > hueCount) {
    const names = chosen.curves.map(({ method }) => method).join(', ')
    throw new RenError(
      'invalid-argument',
      `--out: a picture tells ${hueCount} methods apart; --methods chooses some of ${names}`,
    )
  }
  const drawing = drawFigure(figureOf(chosen), summary)
  await writeFile(path, format === 'svg' ? drawing : toPng(drawing)).catch((cause: unknown) => {
    throw new RenError('file-missing', describeFailure('write', path, cause), { cause })
  })
}

const figureOf = ({ plan, panel, series, curves }: Curves): CurvesFigure => ({
  kind: 'curves',
  title: `${plan}: ${series}`,
  xLabel: 'step',
  yLabel: series,
  series,
  panels: [{ name: panel, title: panel }],
  methods: curves.map(({ method }) => ({ name: method, label: method })),
})

/** What draws is not in the published package, for it is large and serves the paper alone. */
async function loadDrawing() {
  try {
    const [{ drawFigure }, { toPng }, { hueCount }] = await Promise.all([
      import('../experiments/figures/draw.ts'),
      import('../experiments/figures/png.ts'),
      import('../experiments/figures/style.ts'),
    ])
    return { drawFigure, toPng, hueCount }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new RenError(
      'unsupported-platform',
      '--out: pictures are drawn in a checkout, or where @observablehq/plot, happy-dom and ' +
        '@resvg/resvg-js are installed; the terminal and --json need nothing',
      { cause },
    )
  }
}
