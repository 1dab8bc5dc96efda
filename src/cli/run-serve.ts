// What `ren serve` does: opens the service and the server around it, and closes both in peace.

import { once } from 'node:events'
import { availableParallelism } from 'node:os'

import { RenError } from '../core/errors.ts'
import { createServer } from '../service/http/server.ts'
import type { Server } from '../service/http/server.ts'
import { openService } from '../service/index.ts'
import type { Service } from '../service/index.ts'
import { createExperimentRunner } from './experiment-runner.ts'
import { systemCodeOf } from './file-failure.ts'
import { untilInterrupted } from './interrupt-signal.ts'
import { createServeReport } from './serve-report.ts'
import type { ServeReport } from './serve-report.ts'
import type { ServeOptions } from './serve.ts'
import { serviceSettings } from './serve-settings.ts'
import { pageFolder } from './page-folder.ts'
import { makeRoom } from './store-option.ts'
import { createTextImporter } from './text-importer.ts'
import { usualData } from './usual-data.ts'

export async function runServe(options: ServeOptions): Promise<void> {
  const report = createServeReport(options)
  await untilInterrupted(
    async (signal) => {
      const settings = await serviceSettings(options, report.notice)
      await makeRoom(options.store)
      const service = await openService(settings)
      try {
        await serve(service, options, report, signal)
      } finally {
        await service.close()
      }
      report.stopped(service.position)
    },
    ['SIGINT', 'SIGTERM'],
  )
}

/** Until the signal aborts. */
async function serve(
  service: Service,
  options: ServeOptions,
  report: ServeReport,
  signal: AbortSignal,
): Promise<void> {
  const server = await createServer(service, {
    ...serverOptions(options),
    onNotice: report.notice,
    ...(options.log && { onRequest: report.request }),
  })
  try {
    const address = await listen(server, options)
    const keys = await service.store.keys()
    report.started(address, service, keys.length > 0)
    if (!signal.aborted) await once(signal, 'abort')
    report.stopping()
  } finally {
    await server.close()
  }
}

function serverOptions({ store, data, rateLimit, allowedHost, allowedOrigin }: ServeOptions) {
  // The service itself needs a thread to serve and one to learn.
  const workers = Math.max(1, Math.floor(availableParallelism() / 2))
  const page = pageFolder()
  return {
    ...(page !== undefined && { page }),
    allowedHosts: allowedHost ?? [],
    allowedOrigins: allowedOrigin ?? [],
    rateLimit: rateLimit === 0 ? (false as const) : rateLimit,
    runner: createExperimentRunner({ data: data ?? usualData(), workers }),
    importer: createTextImporter(store),
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there; --port takes another',
  EADDRNOTAVAIL: 'it is no address of this machine',
  EACCES: 'the right to it is missing; ports below 1024 are for the system',
  ENOTFOUND: 'there is no such address',
}

async function listen(server: Server, { host, port }: ServeOptions): Promise<string> {
  try {
    return await server.listen({ host, port })
  } catch (cause) {
    const reason = reasons[systemCodeOf(cause) ?? '']
    if (reason === undefined) throw cause
    throw new RenError('invalid-argument', `cannot listen at ${host}:${port}: ${reason}`, { cause })
  }
}
