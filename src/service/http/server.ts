// The HTTP server of a service: assembles hooks and routes, and shuts down gracefully.

import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { fastify, type FastifyInstance } from 'fastify'

import { RenError } from '../../core/errors.ts'
import type { ImportRequest, RunRequest } from '../runs.ts'
import type { Service } from '../service.ts'
import type { LogHandler } from '../settings.ts'
import { answerFailure } from './failures.ts'
import { guardRoutes, isLoopback, parseBodies, type Guard } from './guard.ts'
import { Jobs } from './jobs.ts'
import { openKeyRing, type KeyRing } from './key-ring.ts'
import { createLabels } from './labels.ts'
import { limits } from '../limits.ts'
import { address, completeOptions, type CompleteOptions, type ServerOptions } from './options.ts'
import { refuseRoute } from './operations.ts'
import { createPrometheus } from './prometheus.ts'
import { figureRoutes, machineRoutes } from './routes/figures.ts'
import { itemRoutes, mapRoutes } from './routes/items.ts'
import { demoRoutes, jobRoutes } from './routes/jobs.ts'
import { keyRoutes } from './routes/keys.ts'
import { modelRoutes } from './routes/model.ts'
import { readPage, pageRoutes } from './routes/page.ts'
import { eventRoutes, recommendationRoutes } from './routes/recommendations.ts'
import { userRoutes } from './routes/users.ts'
import { Stream, streamDefaults } from './stream.ts'
import { compileValidator } from '../validator.ts'

/** An HTTP server around a service. */
export interface Server {
  /** Resolves with the URL of the server, such as http://127.0.0.1:7700. */
  listen(at?: ListenAddress): Promise<string>
  /** Sends a request without a network, for tests. */
  readonly inject: FastifyInstance['inject']
  /** Finishes pending requests, and ends streams. With `ownsService`, also closes the service. */
  close(): Promise<void>
}

/** The address of a server. Defaults to 127.0.0.1, port 7700. */
export interface ListenAddress {
  /** Defaults to this machine only; any other address requires that a key exists. */
  readonly host?: string
  /** Defaults to 7700; 0 for any free port. */
  readonly port?: number
}

/**
 * Creates an HTTP server with the REST API and, with `page`, the dashboard. Call `listen` to start
 * it.
 *
 * @example
 * ```ts
 * import { createServer, openService } from 'ren-recommender/service'
 *
 * const service = await openService({ store: 'data/ren.db' })
 * const server = await createServer(service, { ownsService: true })
 * console.log(await server.listen({ port: 7700 }))
 * process.once('SIGTERM', () => void server.close())
 * ```
 */
export async function createServer(service: Service, options: ServerOptions = {}): Promise<Server> {
  const settings = completeOptions(options)
  const { clock, onLogMessage, demo } = settings
  const keys = await openKeyRing(service.store, onLogMessage)
  const page = await readPage(settings.page)
  const app = newApp(onLogMessage)
  const guard = guardRoutes(app, keys, settings)
  const admits = (key: string | null): boolean => keys.admits(key)
  const stream = new Stream({ ...streamDefaults, ...settings.stream, service, clock, admits })
  const { runs, imports } = createJobs(settings, stream)
  const tally = { recommendations: 0, accepted: 0, repeated: 0, rejected: 0 }
  const prometheus = createPrometheus(service, guard, tally)
  recommendationRoutes(app, service, tally, onLogMessage)
  eventRoutes(app, service, tally)
  itemRoutes(app, service.items, createLabels(settings))
  userRoutes(app, service.users)
  modelRoutes(app, service.model)
  figureRoutes(app, service, stream, guard.figures, demo !== undefined)
  mapRoutes(app, service)
  demoRoutes(app, demo)
  jobRoutes(app, runs, imports)
  keyRoutes(app, service.store, keys, clock)
  machineRoutes(app, service, prometheus, guard)
  pageRoutes(app, page, settings.imageHosts)
  app.addHook('preClose', (done) => {
    stream.close()
    done()
  })
  await app.ready()
  return serverOf(app, keys, guard, async () => {
    await Promise.all([runs.close(), imports.close()])
    prometheus.close()
    if (settings.ownsService) await service.close()
  })
}

/** @param finish Ends jobs and, with `ownsService`, the service, after the last request. */
function serverOf(app: App, keys: KeyRing, guard: Guard, finish: () => Promise<void>): Server {
  let closing: Promise<void> | null = null

  async function close(): Promise<void> {
    // A connection whose last response is sent during the close would otherwise stay open.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 20)
    await app.close()
    clearInterval(sweep)
    await finish()
    keys.close()
  }

  return {
    inject: app.inject.bind(app),
    async listen({ host = address.host, port = address.port } = {}) {
      if (!isLoopback(host)) {
        await keys.refresh()
        requireKey(keys, host)
        guard.expose()
      }
      return app.listen({ host, port })
    },
    close: () => (closing ??= close()),
  }
}

export type App = ReturnType<typeof openApp>

const openApp = (onLogMessage: LogHandler) =>
  fastify({
    bodyLimit: limits.body,
    // A character has up to four bytes, each escaped as three characters in a path.
    routerOptions: { maxParamLength: 12 * limits.name },
    // Serves clients that are still connected: the service closes after the last request.
    return503OnClosing: false,
    requestTimeout: 120_000,
    clientErrorHandler: refuseNoise,
    frameworkErrors(error, _request, reply) {
      answerFailure(error, reply, onLogMessage)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

function newApp(onLogMessage: LogHandler): App {
  const app = openApp(onLogMessage)
  parseBodies(app)
  app.setValidatorCompiler(compileValidator)
  // JSON.stringify is faster than a serializer that is compiled from the schema.
  app.setSerializerCompiler(() => JSON.stringify)
  app.setNotFoundHandler(refuseRoute)
  app.setErrorHandler((error, _request, reply) => answerFailure(error, reply, onLogMessage))
  return app
}

/** Responds to bytes that are not HTTP. */
function refuseNoise(_error: Error, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return
  const error = { code: 'invalid-argument', message: 'the request must be valid HTTP' }
  const body = JSON.stringify({ error })
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\n' +
      `content-length: ${body.length}\r\n\r\n${body}`,
  )
}

function createJobs(settings: CompleteOptions, stream: Stream) {
  const { clock, onLogMessage, runner, importer } = settings
  const shared = { clock, onLogMessage }
  return {
    runs: new Jobs<RunRequest>({
      ...shared,
      what: 'run',
      runner,
      about: (request) => ({ ...request }),
      onChange: (job) => stream.send('run', job),
    }),
    imports: new Jobs<ImportRequest>({
      ...shared,
      what: 'import',
      runner: importer,
      // Omits the text, which may be long.
      about: ({ text, ...request }) => ({ ...request, characters: text.length }),
      onChange: (job) => stream.send('import', job),
    }),
  }
}

function requireKey({ usable }: KeyRing, host: string): void {
  if (usable) return
  throw new RenError(
    'key-required',
    `to listen on ${host}, the store must contain an API key; create one, or listen on ${address.host}`,
  )
}
