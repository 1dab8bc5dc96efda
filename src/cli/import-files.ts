// Imports the files of a log and of a catalog into a store, and shows the progress.

import { importLog, type ImportReport } from '../service/log/import-events.ts'
import { importItems } from '../service/log/import-items.ts'
import type { ImportOptions, ImportProgress, ItemsReport } from '../service/log/import-items.ts'
import type { EventStore } from '../storage/index.ts'
import { readEvents, readItems, type CatalogOptions, type LogOptions } from './log-options.ts'
import { count, rounded, clockTime, createStatusLine, percent } from './status-line.ts'

export interface ImportFiles extends Omit<LogOptions, 'events'>, CatalogOptions {
  readonly events?: string
  readonly reward?: number
}

/** The result of each file; null if it was not given. */
export interface FilesReport {
  readonly items: (ItemsReport & { readonly skipped: number }) | null
  readonly events: EventsReport | null
}

interface EventsReport extends ImportReport {
  readonly users: number
  readonly skipped: number
  /** The speed of writing, without the time to read the file. */
  readonly eventsPerSecond: number
}

export type FilesRead = Awaited<ReturnType<typeof readFiles>>

/** Reads the files first, so that an error in them leaves no new store behind. */
export async function readFiles({ events, catalog, reward, ...options }: ImportFiles) {
  const itemsRead = catalog === undefined ? null : await readItems(catalog, options)
  if (events === undefined) return { itemsRead, eventsRead: null }
  const { log, skipped } = await readEvents({ ...options, events })
  const rewards = reward === undefined ? log.rewards : log.rewards.map(() => reward)
  return { itemsRead, eventsRead: { log: { ...log, rewards }, skipped } }
}

/** Skips rows that an earlier import has written. */
export async function importFiles(
  store: EventStore,
  { itemsRead, eventsRead }: FilesRead,
  options: Pick<ImportOptions, 'signal' | 'batchRows'>,
): Promise<FilesReport> {
  let [items, events]: [FilesReport['items'], FilesReport['events']] = [null, null]
  if (itemsRead) {
    const put = await withProgress('item', (onProgress) =>
      importItems(store, itemsRead.items, { ...options, time: Date.now(), onProgress }),
    )
    items = { ...put, skipped: itemsRead.skipped }
  }
  if (eventsRead) {
    const { log, skipped } = eventsRead
    const start = performance.now()
    const report = await withProgress('event', (onProgress) =>
      importLog(store, log, { ...options, onProgress }),
    )
    const seconds = (performance.now() - start) / 1000
    const eventsPerSecond = Math.round((report.done - report.before) / seconds)
    events = { ...report, users: log.userNames.length, skipped, eventsPerSecond }
  }
  return { items, events }
}

/** Runs `body` with a line that shows the progress, the speed and the time left. */
function withProgress<T>(
  noun: string,
  body: (onProgress: (progress: ImportProgress) => void) => Promise<T>,
): Promise<T> {
  const [line, start] = [createStatusLine(), performance.now()]
  return body(({ rows, done, before }) =>
    line.show(() => {
      const rate = (1000 * (done - before)) / (performance.now() - start)
      const left = clockTime((rows - done) / rate)
      const parts = [percent(done / rows), `${rounded(done)} of ${count(rows, noun)}`]
      return [...parts, `${rounded(rate)}/s`, `${left} left`].join('  ')
    }, done / rows),
  ).finally(line.end)
}

export const isWhole = ({ items, events }: FilesReport): boolean =>
  (items === null || items.done === items.rows) && (events === null || events.done === events.rows)

export function filesText({ items, events }: FilesReport): string[] {
  const lines = []
  if (items) {
    const { added, changed, before, skipped } = items
    lines.push(
      `items    ${rounded(added)} new, ${rounded(changed)} changed, ` +
        `${rounded(before)} unchanged${skippedRows(skipped)}`,
    )
  }
  if (events) {
    const { done, before, users, newItems, skipped } = events
    const earlier = before > 0 ? `, ${rounded(before)} already imported` : ''
    lines.push(
      `events   ${count(done - before, 'event')} of ${count(users, 'user')}${earlier}, ` +
        `${count(newItems, 'new item')}${skippedRows(skipped)}`,
    )
  }
  return lines
}

const skippedRows = (n: number): string => (n > 0 ? `, ${count(n, 'bad row')} skipped` : '')
