// The thread of imports over HTTP: reads a text with the readers of files, and writes its rows.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { RenError } from '../core/errors.ts'
import { serveCalls } from '../node/thread.ts'
import type { CallContext } from '../node/thread.ts'
import { importLog } from '../service/log/import-events.ts'
import type { ImportRequest, RunProgress } from '../service/runs.ts'
import { readEvents } from './log-options.ts'
import { count, whole } from './status-line.ts'
import { withStoreOrNew } from './store-option.ts'

export interface ImportTask {
  readonly store: string
  readonly request: ImportRequest
}

export interface ImportCalls {
  /** Cancelled, it stops after the batch at hand and reports how far it has come. */
  importText(task: ImportTask, context: CallContext<RunProgress>): Promise<unknown>
}

serveCalls<ImportCalls>({
  async importText({ store: path, request }, { signal, progress }) {
    const { log, skipped } = await readText(request)
    return withStoreOrNew({ store: path }, async (store) => {
      const report = await importLog(store, log, {
        signal,
        onProgress({ rows, done }) {
          progress({ share: done / rows, message: `${whole(done)} of ${count(rows, 'event')}` })
        },
      })
      return { ...report, users: log.userNames.length, skipped }
    })
  },
})

/** Readers work on files, and name them in errors. */
async function readText({ name, format, text }: ImportRequest) {
  const folder = await mkdtemp(join(tmpdir(), 'ren-import-'))
  const events = join(folder, 'log')
  try {
    await writeFile(events, text)
    return await readEvents({ events, format, timeUnit: 'milliseconds' })
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    throw new RenError(
      error.code,
      error.message.replaceAll(events, () => name),
      { cause: error },
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}
