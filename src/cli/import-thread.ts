// The thread of imports over HTTP: reads a text with the file readers, and writes its rows.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { serveCalls, type CallContext } from '../node/thread.ts'
import { importLog } from '../service/log/import-events.ts'
import type { ImportRequest, RunProgress } from '../service/runs.ts'
import { readEvents } from './log-options.ts'
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
  async importText({ store: path, request }, { signal, progress }) {
    const { log, skipped } = await readText(request)
    return withStoreOrNew({ store: path }, async (store) => {
      const report = await importLog(store, log, {
        signal,
        onProgress: ({ rows, done }) =>
          progress({ share: done / rows, message: `${rounded(done)} of ${count(rows, 'event')}` }),
      })
      return { ...report, users: log.userNames.length, skipped }
    })
  },
})

/** The readers need a file. */
async function readText({ name, format, text }: ImportRequest) {
  const folder = await mkdtemp(join(tmpdir(), 'ren-import-'))
  const events = join(folder, 'log')
  try {
    await writeFile(events, text)
    return await readEvents({ events, name, format, timeUnit: 'milliseconds' })
  } finally {
    await rm(folder, { recursive: true })
  }
}
