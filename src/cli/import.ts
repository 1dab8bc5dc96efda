// ren import: a log, and items with their attributes, into a store. Cut off at any moment, the same
// command goes on.

import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import { importLog } from '../service/import-events.ts'
import type { ImportReport } from '../service/import-events.ts'
import { importItems } from '../service/import-items.ts'
import type { ImportProgress, ItemsReport } from '../service/import-items.ts'
import type { EventStore } from '../storage/index.ts'
import { count, whole } from './counts.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { addLogOptions, readEvents, readItems } from './log-options.ts'
import type { LogOptions } from './log-options.ts'
import { integer, notNegative } from './option-values.ts'
import { clockTime, createStatusLine, percent } from './status-line.ts'
import { addStoreOption, withStoreOrNew } from './store-option.ts'
import type { StoreOption } from './store-option.ts'

interface ImportCliOptions extends StoreOption, Omit<LogOptions, 'events'> {
  readonly events?: string
  readonly items?: string
  readonly reward?: number
  readonly batch: number
  readonly json?: true
}

interface ImportDocument {
  readonly store: string
  readonly items: (ItemsReport & { readonly skipped: number }) | null
  readonly events: EventsReport | null
  readonly seconds: number
  readonly interrupted: boolean
}

interface EventsReport extends ImportReport {
  readonly users: number
  readonly skipped: number
  /** Of what was written now, without the reading of the file. */
  readonly eventsPerSecond: number
}

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('bring a log, and items, into a store; run again, it goes on where it was')
  addLogOptions(addStoreOption(command), false)
    .option('--items <file>', 'CSV with a column item, or JSON Lines of {item, attributes}')
    .option('--reward <n>', 'what each row is worth, whatever the log says', notNegative)
    .option('--batch <n>', 'rows that become durable at once', integer(1), 10_000)
    .option('--json', 'print one JSON document; progress goes to standard error')
    .action(runImport)
}

async function runImport(options: ImportCliOptions): Promise<void> {
  if (options.events === undefined && options.items === undefined) {
    throw new RenError('invalid-argument', 'expected --events, --items or both, got neither')
  }
  const start = performance.now()
  // Whatever cannot be read is refused before a store is made for it.
  const read = await readFiles(options)
  const report = await untilInterrupted((signal) =>
    withStoreOrNew(options, async (store): Promise<ImportDocument> => {
      const parts = await importFiles(store, read, options, signal)
      const seconds = (performance.now() - start) / 1000
      return { store: options.store, ...parts, seconds, interrupted: !isWhole(parts) }
    }),
  )
  if (report.interrupted) process.exitCode = 130
  console.log(options.json ? JSON.stringify(report) : toText(report))
}

type FilesRead = Awaited<ReturnType<typeof readFiles>>

async function readFiles({ events, items, reward, ...options }: ImportCliOptions) {
  const itemsRead = items === undefined ? null : await readItems(items, options.skipBadRows)
  if (events === undefined) return { itemsRead, eventsRead: null }
  const { log, skipped } = await readEvents({ ...options, events })
  const rewards = reward === undefined ? log.rewards : log.rewards.map(() => reward)
  return { itemsRead, eventsRead: { log: { ...log, rewards }, skipped } }
}

async function importFiles(
  store: EventStore,
  { itemsRead, eventsRead }: FilesRead,
  { batch: batchRows }: ImportCliOptions,
  signal: AbortSignal,
): Promise<Pick<ImportDocument, 'items' | 'events'>> {
  let [items, events]: [ImportDocument['items'], EventsReport | null] = [null, null]
  if (itemsRead) {
    const put = await withProgress('item', (onProgress) =>
      importItems(store, itemsRead.items, { time: Date.now(), signal, onProgress, batchRows }),
    )
    items = { ...put, skipped: itemsRead.skipped }
  }
  if (eventsRead) {
    const { log, skipped } = eventsRead
    const start = performance.now()
    const report = await withProgress('event', (onProgress) =>
      importLog(store, log, { signal, onProgress, batchRows }),
    )
    const seconds = (performance.now() - start) / 1000
    const eventsPerSecond = Math.round((report.done - report.before) / seconds)
    events = { ...report, users: log.userNames.length, skipped, eventsPerSecond }
  }
  return { items, events }
}

/** Runs `body` with a line that says how far it is, how fast, and how long it will take. */
async function withProgress<T>(
  noun: string,
  body: (onProgress: (progress: ImportProgress) => void) => Promise<T>,
): Promise<T> {
  const clock = (): number => performance.now()
  const line = createStatusLine(process.stderr, clock)
  const start = clock()
  try {
    return await body(({ rows, done, before }) =>
      line.show(() => {
        const rate = (1000 * (done - before)) / (clock() - start)
        const left = clockTime((rows - done) / rate)
        const parts = [percent(done / rows), `${whole(done)} of ${count(rows, noun)}`]
        return [...parts, `${whole(rate)}/s`, `${left} left`].join('  ')
      }),
    )
  } finally {
    line.end()
  }
}

const isWhole = ({ items, events }: Pick<ImportDocument, 'items' | 'events'>): boolean =>
  (items === null || items.done === items.rows) && (events === null || events.done === events.rows)

function toText({ store, items, events, seconds, interrupted }: ImportDocument): string {
  const lines = []
  if (items) {
    const { added, changed, before, skipped } = items
    lines.push(
      `items    ${whole(added)} new, ${whole(changed)} changed, ` +
        `${whole(before)} as they were${skippedRows(skipped)}`,
    )
  }
  if (events) {
    const { done, before, rows, users, newItems, skipped } = events
    const earlier = before > 0 ? `, ${whole(before)} were there from before` : ''
    lines.push(
      `events   ${count(done - before, 'event')} of ${count(users, 'user')}${earlier}, ` +
        `${count(newItems, 'new item')}${skippedRows(skipped)}`,
      `rate     ${whole(events.eventsPerSecond)} events/s; ${seconds.toFixed(1)} s in all`,
    )
    if (interrupted)
      lines.push(`stopped  ${whole(done)} of ${whole(rows)}; the same command goes on`)
  }
  return [...lines, `store    ${store}`].join('\n')
}

const skippedRows = (n: number): string => (n > 0 ? `, ${count(n, 'bad row')} skipped` : '')
