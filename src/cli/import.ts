// ren import: imports a log and items into a store. After an interruption, the same command resumes the
// import.

import type { Command } from 'commander'

import { invalid } from '../core/errors.ts'
import { filesText, importFiles, isWhole, readFiles } from './import-files.ts'
import type { FilesReport, ImportFiles } from './import-files.ts'
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
    throw invalid('expected --events, --catalog or both, got neither')
  }
  const start = performance.now()
  const read = await readFiles(options)
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
