// npm run bench -- NAME [options]: runs one benchmark and prints a table, or JSON with --json.

import type { BenchReport, FigureReport } from './measure.ts'

const [name, ...flags] = process.argv.slice(2)

/** A benchmark that returns nothing prints its own output. */
const benchmarks: Readonly<Record<string, () => Promise<BenchReport | FigureReport | void>>> = {
  compare: async () => (await import('./compare.ts')).run(flags),
  kernels: async () => (await import('./kernels.bench.ts')).run(),
  learning: async () => (await import('./learning.bench.ts')).run(),
  page: async () => (await import('./page.bench.ts')).run(),
  quality: async () => (await import('./quality.bench.ts')).run(flags),
  'scale-out': async () => (await import('./scale-out.bench.ts')).run(),
  service: async () => (await import('./service.bench.ts')).run(),
  simulation: async () => (await import('./simulation.bench.ts')).run(),
  slate: async () => (await import('./slate.bench.ts')).run(),
  training: async () => (await import('./training.bench.ts')).run(flags),
  yield: async () => (await import('./yield.bench.ts')).run(),
}

const benchmark = benchmarks[name ?? '']
if (benchmark === undefined) {
  console.error(
    `usage: npm run bench -- NAME [--json], with NAME one of ${Object.keys(benchmarks).join(', ')}`,
  )
  process.exit(1)
}
const report = await benchmark()
if (report !== undefined) print(report)

function print(measured: BenchReport | FigureReport): void {
  if (flags.includes('--json')) console.log(JSON.stringify(measured, null, 2))
  else if ('figures' in measured) printFigures(measured)
  else printTable(measured)
}

function printFigures({ machine, figures }: FigureReport): void {
  console.log(`${machine}\n`)
  const width = Math.max(...figures.map(({ figure }) => figure.length))
  for (const { figure, value, unit, bar } of figures) {
    const number = value.toFixed(value < 100 ? 2 : 0).padStart(9)
    console.log(`${figure.padEnd(width)} ${number} ${unit.padEnd(3)} ${bar ?? ''}`.trimEnd())
  }
}

function printTable({ machine, cases }: BenchReport): void {
  console.log(`${machine}\n`)
  const width = Math.max(...cases.map((row) => row.case.length))
  const engineWidth = Math.max(...cases.map((row) => row.engine.length))
  console.log(
    `${'case'.padEnd(width)}  ${'engine'.padEnd(engineWidth)}   min ms  median ms   ratio  of peak   units   × dot`,
  )
  for (const row of cases) {
    const numbers = [
      row.minMs.toFixed(3).padStart(8),
      row.medianMs.toFixed(3).padStart(10),
      row.ratio.toFixed(2).padStart(7),
      (row.fractionOfPeak?.toFixed(2) ?? '').padStart(8),
      (row.units?.toFixed(2) ?? '').padStart(7),
      (row.timesDot?.toFixed(2) ?? '').padStart(7),
    ]
    console.log(`${row.case.padEnd(width)}  ${row.engine.padEnd(engineWidth)} ${numbers.join(' ')}`)
  }
}
