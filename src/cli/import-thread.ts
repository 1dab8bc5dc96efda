// The thread of one import: reads a text with the readers of files, and writes its rows.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

import { RenError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import { importLog } from '../service/log/import-events.ts'
import type { ImportRequest, RunProgress } from '../service/runs.ts'
import { readEvents } from './log-options.ts'
import { count, whole } from './status-line.ts'
import { withStoreOrNew } from './store-option.ts'

export interface ImportTask {
  readonly store: string
  readonly request: ImportRequest
}

/** What the thread says: any message to it stops it. */
export type ImportWord =
  | { readonly progress: RunProgress }
  | { readonly result: unknown }
  | { readonly failure: { readonly code: ErrorCode; readonly message: string } }

const say = (word: ImportWord): void => parentPort?.postMessage(word)

async function work({ store: path, request }: ImportTask, signal: AbortSignal): Promise<unknown> {
  const { log, skipped } = await readText(request)
  return withStoreOrNew({ store: path }, async (store) => {
    const report = await importLog(store, log, {
      signal,
      onProgress({ rows, done }) {
        const message = `${whole(done)} of ${count(rows, 'event')}`
        say({ progress: { share: done / rows, message } })
      },
    })
    return { ...report, users: log.userNames.length, skipped }
  })
}

/** Readers work on files, and name them where one is wrong. */
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

const controller = new AbortController()
parentPort?.once('message', () => controller.abort())
try {
  say({ result: await work(workerData as ImportTask, controller.signal) })
} catch (error) {
  if (!(error instanceof RenError)) throw error
  say({ failure: { code: error.code, message: error.message } })
}
parentPort?.close()
