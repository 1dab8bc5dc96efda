// Runs `ren serve`: opens the service and the server, and closes both on Ctrl-C.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer as createTrial } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import { RenError } from '../core/errors.ts'
import { createServer, type Server } from '../service/http/server.ts'
import { openService } from '../service/index.ts'
import { openDemo } from './demo/demo.ts'
import { createExperimentRunner } from './experiment-runner.ts'
import { systemCodeOf } from './files.ts'
import { importFiles, isWhole, readFiles, type FilesRead } from './import-files.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { clearStore, planService, withStoreHint } from './serve-plan.ts'
import { createServeReport, type ServeReport } from './serve-report.ts'
import { serviceSettings } from './serve-settings.ts'
import type { ServeOptions } from './serve.ts'
import { createFolder, withStoreOrNew } from './store-option.ts'
import { createTextImporter } from './text-importer.ts'

const folder = join(import.meta.dirname, '..', '..', 'dist', 'page')

/** Undefined if the page is not built, as in a checkout before `npm start`. */
const pageFolder = (): string | undefined => (existsSync(folder) ? folder : undefined)

/** @param chosen The given options that determine what is served. */
export async function runServe(options: ServeOptions, chosen: readonly string[]): Promise<void> {
  const report = createServeReport(options)
  await untilInterrupted(
    async (signal) => {
      const opened = await open(options, chosen, report, signal)
      if (opened === null) return
      const { service } = opened
      try {
        await serve(opened, options, report, signal)
      } finally {
        await service.close()
      }
      report.stopped(service.position)
    },
    ['SIGINT', 'SIGTERM'],
  )
}

type Opened = NonNullable<Awaited<ReturnType<typeof open>>>

/** Null if it was interrupted during the import. */
async function open(
  options: ServeOptions,
  chosen: readonly string[],
  report: ServeReport,
  signal: AbortSignal,
) {
  const read = await readFiles(options)
  const settings = await serviceSettings(options, report.logMessage)
  await requireFree(options)
  return withStoreHint(options.store, async () => {
    const plan = await planService(options, chosen)
    const { store } = plan
    if (plan.demo) {
      await clearStore(store)
      return { plan, ...(await openDemo(store, report.logMessage)) }
    }
    if (!(await importOwn(read, store, report, signal))) return null
    await createFolder(store)
    return { plan, service: await openService(settings), demo: null }
  })
}

/** Imports the given files. Returns false after an interruption. */
async function importOwn(
  read: FilesRead,
  store: string,
  report: ServeReport,
  signal: AbortSignal,
): Promise<boolean> {
  if (read.itemsRead === null && read.eventsRead === null) return true
  const files = await withStoreOrNew({ store }, (opened) => importFiles(opened, read, { signal }))
  report.imported(files)
  if (isWhole(files)) return true
  process.exitCode = 130
  return false
}

/** Serves until the signal aborts. */
async function serve(
  { service, plan, demo }: Opened,
  options: ServeOptions,
  report: ServeReport,
  signal: AbortSignal,
): Promise<void> {
  const server = await createServer(service, {
    ...serverOptions({ ...options, store: plan.store }),
    ...(demo && { demo }),
    onLogMessage: report.logMessage,
    ...(options.log && { onRequest: report.request }),
  })
  try {
    const address = await listen(server, options)
    const keys = await service.store.keys()
    const hasPage = pageFolder() !== undefined
    report.started({ address, service, plan, hasPage, needsKey: keys.length > 0 })
    const played = demo?.run(signal)
    if (!signal.aborted) await once(signal, 'abort')
    report.stopping()
    await played
  } finally {
    await server.close()
  }
}

function serverOptions(options: ServeOptions) {
  const { store, rateLimit, allowedHost, allowedOrigin } = options
  // The service itself needs one thread to serve and one to train.
  const workers = Math.max(1, Math.floor(availableParallelism() / 2))
  const page = pageFolder()
  return {
    ...(page !== undefined && { page }),
    allowedHosts: allowedHost ?? [],
    allowedOrigins: allowedOrigin ?? [],
    titleAttributes: options.titleAttribute,
    imageAttributes: options.imageAttribute,
    imageHosts: options.imageHosts,
    ...(rateLimit !== undefined && { rateLimit: rateLimit || (false as const) }),
    runner: createExperimentRunner(workers),
    importer: createTextImporter(store),
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses this port; choose another with --port',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'permission denied; ports below 1024 are reserved for the system',
  ENOTFOUND: 'the address does not exist',
}

const listen = (server: Server, at: ServeOptions): Promise<string> =>
  withReason(at, () => server.listen(at))

/** Checks the port first, so that a port in use does not waste an import. */
const requireFree = (at: ServeOptions): Promise<void> =>
  withReason(at, async () => {
    const trial = createTrial()
    trial.listen(at.port, at.host)
    await once(trial, 'listening')
    trial.close()
    await once(trial, 'close')
  })

async function withReason<T>(
  { host, port }: Pick<ServeOptions, 'host' | 'port'>,
  body: () => Promise<T>,
): Promise<T> {
  try {
    return await body()
  } catch (cause) {
    const code = systemCodeOf(cause)
    if (code === undefined) throw cause
    const reason = reasons[code] ?? (cause as Error).message
    throw new RenError('invalid-argument', `cannot listen on ${host}:${port}: ${reason}`, { cause })
  }
}
