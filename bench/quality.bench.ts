// The quality of recommendations, measured over HTTP with `ren serve` as a child process and its default
// settings. Each row of bench/quality.md is a protocol in bench/quality/.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine } from './measure.ts'
import { parseCommandLine, usage } from './quality/options.ts'
import type { CommandLine } from './quality/options.ts'
import { formatNumber, isMet } from './quality/row.ts'
import type { QualityFigure, QualityRow, StageResult } from './quality/row.ts'
import { rows } from './quality/rows.ts'
import { addRun, currentCommit } from './quality/runs.ts'
import { writeReport } from './quality/report.ts'

export async function run(args: readonly string[]): Promise<void> {
  const options = parseCommandLine(args)
  const unknown = options.rows.find((name) => !Object.hasOwn(rows, name))
  if (options.help || unknown !== undefined || (options.rows.length === 0 && !options.write)) {
    console.error(`${usage}\n\nrows: ${Object.keys(rows).join(', ')}`)
    process.exitCode = options.help ? 0 : 1
    return
  }
  // Child processes and temporary folders end with this process, also after Ctrl-C.
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  for (const name of options.rows) await runOne(name, rows[name]!, options)
  if (options.write) writeReport()
}

async function runOne(name: string, row: QualityRow, options: CommandLine): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ren-quality-'))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const seeds = options.seeds ?? row.seeds[options.split]
  const machine = describeMachine()
  const started = performance.now()
  const progress = (message: string): void => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    console.error(`${name}: ${seconds} s: ${message}`)
  }
  try {
    for await (const result of row.run({ ...options, seeds, folder, progress })) {
      const done = {
        date: new Date().toISOString(),
        commit: currentCommit(),
        machine,
        row: name,
        stage: result.stage,
        seeds,
        settings: options.settings,
        figures: result.figures,
      }
      if (options.split === 'test' && options.isWhole) addRun(done)
      if (options.json) console.log(JSON.stringify({ split: options.split, ...done }))
      else print(`${row.title}, ${options.split} split, seeds ${seeds.join(', ')}`, result)
    }
  } finally {
    removeFolder()
    process.off('exit', removeFolder)
  }
}

function print(title: string, { stage, figures }: StageResult): void {
  console.log(`\n${title}${stage === null ? '' : `, stage ${stage}`}`)
  const width = Math.max(...figures.map(({ name }) => name.length))
  for (const figure of figures) console.log(lineOf(figure, width))
}

function lineOf(figure: QualityFigure, width: number): string {
  const { name, value, error, bar, note } = figure
  const met = isMet(figure)
  const parts = [
    name.padEnd(width),
    formatNumber(value).padStart(9),
    (error === undefined ? '' : `± ${formatNumber(error)}`).padEnd(9),
    bar === undefined ? '' : `${bar.at} ${formatNumber(bar.limit)} ${met ? 'met' : 'MISSED'}`,
    note ?? '',
  ]
  return `  ${parts.join(' ')}`.trimEnd()
}
