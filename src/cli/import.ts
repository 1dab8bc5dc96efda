// ren import: imports a log and items into a store. After an interruption, the same command resumes the
// import.

import type { Command } from 'commander'

import { invalid } from '../core/errors.ts'
import { filesText, importFiles, isWhole, readFiles } from './import-files.ts'
import type { FilesRead, FilesReport, ImportFiles } from './import-files.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { addCatalogOptions, addLogOptions } from './log-options.ts'
import { integer, notNegative } from './option-values.ts'
import { rounded } from './status-line.ts'
import { addStoreOption, withStoreOrNew, type StoreOption } from './store-option.ts'

interface ImportCliOptions extends StoreOption, ImportFiles {
  readonly batch: number
  readonly json?: true
}

interface ImportDocument extends FilesReport {
  readonly store: string
  readonly seconds: number
  readonly interrupted: boolean
}

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('import a log and items into a store; run it again to resume')
  addCatalogOptions(addLogOptions(addStoreOption(command), false))
    .option('--reward <n>', 'reward of every row; overrides the log', notNegative)
    .option('--batch <n>', 'rows per transaction', integer(1), 10_000)
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(runImport)
}

async function runImport(options: ImportCliOptions): Promise<void> {
  if (options.events === undefined && options.catalog === undefined) {
    throw invalid('--events, --catalog or both are required')
  }
  const start = performance.now()
  const read = await readFiles(options)
  const hint = secondsHint(read, options)
  if (hint !== null) console.error(hint)
  const report = await untilInterrupted((signal) =>
    withStoreOrNew(options, async (store): Promise<ImportDocument> => {
      const parts = await importFiles(store, read, { signal, batchRows: options.batch })
      const seconds = (performance.now() - start) / 1000
      return { store: store.location, ...parts, seconds, interrupted: !isWhole(parts) }
    }),
  )
  if (report.interrupted) process.exitCode = 130
  console.log(options.json ? JSON.stringify(report) : toText(report))
}

const since1980 = Date.UTC(1980)

/** Suggests seconds if the newest time is before 1980 in milliseconds, but not in seconds. */
function secondsHint({ eventsRead }: FilesRead, { timeUnit }: ImportCliOptions): string | null {
  const newest = eventsRead?.log.times.reduce((a, b) => Math.max(a, b), 0) ?? 0
  if (timeUnit === 'seconds' || newest >= since1980 || 1000 * newest < since1980) return null
  const day = new Date(newest).toISOString().slice(0, 10)
  return `warning: the newest time is ${day}; if the times are in seconds, use --time-unit seconds`
}

function toText({ store, items, events, seconds, interrupted }: ImportDocument): string {
  const lines = filesText({ items, events })
  if (events) {
    const { eventsPerSecond } = events
    lines.push(`rate     ${rounded(eventsPerSecond)} events/s; ${seconds.toFixed(1)} s in total`)
  }
  if (interrupted) {
    const { done, rows } = (events ?? items)!
    lines.push(`stopped  ${rounded(done)} of ${rounded(rows)}; run the command again to resume`)
  }
  return [...lines, `store    ${store}`].join('\n')
}
