// The thread of imports over HTTP: reads a text with the file readers, and writes its rows or items.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { serveCalls, type CallContext } from '../node/thread.ts'
import { importLog } from '../service/log/import-events.ts'
import {
  importItems,
  type ImportOptions,
  type ImportProgress,
} from '../service/log/import-items.ts'
import type { ImportRequest, RunProgress } from '../service/runs.ts'
import { readEvents, readItems } from './log-options.ts'
import { count, rounded } from './status-line.ts'
import { withStoreOrNew } from './store-option.ts'

export interface ImportCalls {
  /** After a cancellation it completes the current batch and reports the rows so far. */
  importText(
    task: { readonly store: string; readonly request: ImportRequest },
    context: CallContext<RunProgress>,
  ): Promise<unknown>
}

serveCalls<ImportCalls>({
  async importText({ store, request }, { signal, progress }) {
    const show =
      (noun: string) =>
      ({ rows, done }: ImportProgress): void =>
        progress({ share: done / rows, message: `${rounded(done)} of ${count(rows, noun)}` })
    return request.content === 'catalog'
      ? importCatalog(store, request, { signal, onProgress: show('item') })
      : importEvents(store, request, { signal, onProgress: show('event') })
  },
})

async function importEvents(path: string, request: ImportRequest, options: ImportOptions) {
  const { name, format } = request
  const { log, skipped } = await withFile(request, (events) =>
    readEvents({ events, name, format, timeUnit: 'milliseconds' }),
  )
  return withStoreOrNew({ store: path }, async (store) => {
    const report = await importLog(store, log, options)
    return { ...report, users: log.userNames.length, skipped }
  })
}

async function importCatalog(path: string, request: ImportRequest, options: ImportOptions) {
  const { name, format } = request
  const { items, skipped } = await withFile(request, (file) =>
    readItems(file, { name, catalogFormat: format }),
  )
  return withStoreOrNew({ store: path }, async (store) => {
    const report = await importItems(store, items, { ...options, time: Date.now() })
    return { ...report, skipped }
  })
}

/** The readers need a file. */
async function withFile<T>({ text }: ImportRequest, read: (path: string) => Promise<T>) {
  const folder = await mkdtemp(join(tmpdir(), 'ren-import-'))
  const file = join(folder, 'text')
  try {
    await writeFile(file, text)
    return await read(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}
