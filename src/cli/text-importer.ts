// Logs that a server is handed as texts: read by the readers of files, and brought into its store.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { RenError } from '../core/errors.ts'
import { importLog } from '../service/import-events.ts'
import type { Importer } from '../service/runs.ts'
import type { EventStore } from '../storage/index.ts'
import { count, whole } from './counts.ts'
import { readEvents } from './log-options.ts'

/** What is imported is told of by the log itself, which the service follows. */
export function createTextImporter(store: EventStore): Importer {
  return {
    async start({ name, format, text }, onProgress, signal) {
      const { log, skipped } = await readText(text, name, format)
      const report = await importLog(store, log, {
        signal,
        onProgress: ({ rows, done }) =>
          onProgress({ share: done / rows, message: `${whole(done)} of ${count(rows, 'event')}` }),
      })
      return { ...report, users: log.userNames.length, skipped }
    },
  }
}

/** Readers work on files, and name them where one is wrong. */
async function readText(text: string, name: string, format: 'csv' | 'jsonl') {
  const folder = await mkdtemp(join(tmpdir(), 'ren-import-'))
  const events = join(folder, 'log')
  try {
    await writeFile(events, text)
    return await readEvents({ events, format, timeUnit: 'milliseconds' })
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    throw new RenError(error.code, error.message.replace(events, name), { cause: error })
  } finally {
    await rm(folder, { recursive: true })
  }
}
