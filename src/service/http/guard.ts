// The checks of every request: host, origin, rate limit, API key, encoding and latencies. They are
// synchronous and created once per route, so that a request does not wait here.

import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type {
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
  onResponseHookHandler,
  RouteOptions,
} from 'fastify'
import { Histogram } from 'prom-client'

import { invalid, RenError } from '../../core/errors.ts'
import type { KeyScope } from '../../storage/index.ts'
import { closed } from '../schemas/builders.ts'
import { missingScope, type KeyRing } from './key-ring.ts'
import { hasHead, operations, refuseRoute, type OperationName } from './operations.ts'
import type { RequestLine } from './options.ts'
import type { App } from './server.ts'

/** Counts a request of a caller at a time in milliseconds. Returns an error if it is refused. */
type RateLimit = (caller: string, now: number) => RenError | undefined

/** Limits requests per second and caller. Counting restarts each second, which forgets old callers. */
export function limitRate(max: number): RateLimit {
  const counts = new Map<string, number>()
  let second = -1
  return (caller, now) => {
    const current = Math.floor(now / 1000)
    if (current !== second) {
      second = current
      counts.clear()
    }
    const count = (counts.get(caller) ?? 0) + 1
    counts.set(caller, count)
    if (count <= max) return undefined
    return new RenError('rate-limited', `a client may send at most ${max} requests per second`)
  }
}

/** The limit of requests per second if requests need a key. */
const defaultRate = 1000

/** @param needsKey Without a rate, the limit applies only while requests need a key. */
function createLimit(rate: number | false | undefined, needsKey: () => boolean): RateLimit {
  if (rate === false) return () => undefined
  const limit = limitRate(rate ?? defaultRate)
  if (rate !== undefined) return limit
  return (caller, now) => (needsKey() ? limit(caller, now) : undefined)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the API key; null if none was needed. */
    keyId: string | null
  }
  interface FastifyContextConfig {
    operation?: OperationName
  }
}

interface GuardSettings extends Callers {
  readonly rateLimit?: number | false
  readonly clock: () => number
  readonly onRequest?: (line: RequestLine) => void
}

export type Guard = ReturnType<typeof guardRoutes>

/** Routes of the API refuse query parameters that they do not have, also those without any. */
const completeSchema = ({ url, schema = {} }: RouteOptions): FastifySchema =>
  url.startsWith('/v1/') ? { querystring: closed({}), ...schema } : schema

/** Call it before adding routes. */
export function guardRoutes(app: App, keys: KeyRing, settings: GuardSettings) {
  const figures = new Map<OperationName, RouteFigures>()
  const seconds = secondsHistogram()
  const schemas = new Map<OperationName, FastifySchema>()
  const requiresKey = (): boolean => keys.locked || admission.exposed
  const admission: Admission = {
    keys,
    exposed: false,
    limit: createLimit(settings.rateLimit, requiresKey),
    clock: settings.clock,
  }
  app.decorateRequest('keyId', null)
  app.addHook('onRequest', admitCallers(settings))
  app.addHook('onRequest', refuseUnknownRoutes(admission))
  app.addHook('onRoute', (route) => {
    const name = requireOperation(route)
    route.schema = completeSchema(route)
    route.onRequest = admit(name, admission)
    // A HEAD request counts as the GET request of its route.
    const figure = figures.get(name) ?? newFigure(name)
    figures.set(name, figure)
    schemas.set(name, route.schema)
    // The duration of a stream is not a latency.
    const isTimed = name !== 'stream'
    const line = { method: String(route.method), route: route.url }
    route.onResponse = measure(figure, line, isTimed ? seconds : null, settings.onRequest)
  })
  return {
    /** The figures of every route. */
    figures: () => [...figures.values()],
    /** The latencies of all routes, for Prometheus. */
    seconds,
    schemas,
    requiresKey,
    /** Requires a key from now on, even if the store has none. */
    expose() {
      admission.exposed = true
    },
  }
}

/** Refuses a route that is not in the table of operations, which says who may use it. */
function requireOperation({ method, url, config }: RouteOptions): OperationName {
  const name = config?.operation
  if (name && operations[name].path === url) {
    if (operations[name].method === method || (method === 'HEAD' && hasHead(name))) return name
  }
  throw new Error(`the route ${String(method)} ${url} is not in the table of operations`)
}

interface Admission {
  readonly keys: KeyRing
  exposed: boolean
  readonly limit: RateLimit
  readonly clock: () => number
}

/** Refuses them before fastify reads a body or requires a content type. */
function refuseUnknownRoutes({ limit, clock }: Admission): onRequestHookHandler {
  return (request, reply, done) => {
    const refusal = request.is404 ? limit(request.ip, clock()) : undefined
    if (refusal || !request.is404) return done(refusal)
    refuseRoute(request, reply)
  }
}

/** Probes must work under any load. */
const probes: ReadonlySet<OperationName> = new Set<OperationName>(['healthy', 'ready'])

function admit(name: OperationName, admission: Admission): onRequestHookHandler {
  const { access } = operations[name]
  if (probes.has(name)) return (_request, _reply, done) => done()
  return access === 'open' ? admitAll(admission) : admitKeys(admission, access)
}

function admitAll({ limit, clock }: Admission): onRequestHookHandler {
  return ({ ip }, _reply, done) => done(limit(ip, clock()))
}

function admitKeys(admission: Admission, scope: KeyScope): onRequestHookHandler {
  const { keys, limit, clock } = admission
  return (request, _reply, done) => {
    const { headers, ip } = request
    if (!keys.locked && !admission.exposed) return done(limit(ip, clock()))
    const key = keys.identify(headers.authorization)
    // Requests without a valid key count by address, which slows down guessing.
    if (key === null || key instanceof RenError) return done(limit(ip, clock()) ?? key ?? keyless)
    request.keyId = key.id
    done(limit(key.id, clock()) ?? missingScope(key, scope))
  }
}

const keyless = new RenError(
  'key-required',
  'the request must have an API key, as Authorization: Bearer ren_<id>_<secret>',
)

/** The latencies and statuses of a route. */
export interface RouteFigures {
  readonly route: string
  /** In nanoseconds, at most a tenth too high. */
  readonly latencies: RecordableHistogram
  /** The number of responses by the first digit of their status. */
  readonly statuses: Float64Array
}

const newFigure = (name: OperationName): RouteFigures => ({
  route: `${operations[name].method} ${operations[name].path}`,
  latencies: createLatencies(),
  statuses: new Float64Array(6),
})

/** A histogram that rounds values up by less than a tenth. */
export const createLatencies = (): RecordableHistogram => createHistogram({ figures: 1 })

/** Upper bounds of the buckets are powers of two in microseconds: 64 µs to 17 s. */
const secondsHistogram = () =>
  new Histogram({
    name: 'ren_http_request_seconds',
    help: 'Duration of requests',
    labelNames: ['route'],
    buckets: Array.from({ length: 19 }, (_, i) => 2 ** (i + 6) / 1e6),
    registers: [],
  })

function measure(
  { route, latencies, statuses }: RouteFigures,
  line: Pick<RequestLine, 'method' | 'route'>,
  seconds: Histogram<'route'> | null,
  onRequest: GuardSettings['onRequest'],
): onResponseHookHandler {
  const labels = { route }
  return (_request, reply, done) => {
    const { statusCode: status, elapsedTime: ms } = reply
    if (seconds) latencies.record(Math.max(1, Math.ceil(ms * 1e6)))
    seconds?.observe(labels, ms / 1000)
    const hundred = Math.floor(status / 100)
    statuses[hundred] = statuses[hundred]! + 1
    onRequest?.({ ...line, status, ms })
    done()
  }
}

function admitCallers(callers: Callers): onRequestHookHandler {
  const { refuseHost, refuseOrigin, isAllowed } = checkCallers(callers)
  return (request, reply, done) => {
    const { host, origin } = request.headers
    reply.header('x-content-type-options', 'nosniff')
    const refused = refuseHost(host, request.socket)
    if (refused !== undefined || origin === undefined) return done(refused)
    const foreign = refuseOrigin(origin, host)
    if (foreign) return done(foreign)
    if (isAllowed(origin))
      reply.header('access-control-allow-origin', origin).header('vary', 'origin')
    if (isPreflight(request)) return answerPreflight(reply)
    done()
  }
}

/** Whether a browser asks if a page of another site may send a request (CORS). */
const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

function answerPreflight(reply: FastifyReply): void {
  reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE')
    .header('access-control-allow-headers', 'authorization, content-type, last-event-id')
    .header('access-control-max-age', 600)
    .send()
}

/**
 * Which Host and Origin headers are allowed. A page of another site must not reach a local server,
 * neither through DNS rebinding (Host) nor through a browser on this machine (Origin).
 */
export interface Callers {
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '::1'])

/** Whether only this machine can reach an address. */
export const isLoopback = (address: string): boolean =>
  loopbackNames.has(address) || (isIP(address) === 4 && address.startsWith('127.'))

/** The host of a Host header in lower case, without port and brackets. */
export function hostName(header: string): string {
  const name = header.toLowerCase()
  if (name.startsWith('[')) return name.slice(1, name.indexOf(']'))
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(0, colon)
}

/** Prepares the checks, so that a request costs two lookups. */
export function checkCallers({ allowedHosts, allowedOrigins }: Callers) {
  const hosts = new Set([...loopbackNames, ...allowedHosts.map((host) => host.toLowerCase())])
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()))

  return {
    /** Also allows the local address of the connection. */
    refuseHost(
      header: string | undefined,
      connection: { readonly localAddress?: string | undefined },
    ): RenError | undefined {
      if (header !== undefined) {
        const name = hostName(header)
        if (hosts.has(name) || hosts.has(header.toLowerCase())) return undefined
        if (name !== '' && name === plainAddress(connection.localAddress)) return undefined
      }
      return new RenError(
        'host-refused',
        `Host must name this server or be in allowedHosts, got ${JSON.stringify(header ?? null)}`,
      )
    },
    /** Whether the origin is in `allowedOrigins`. */
    isAllowed: (origin: string): boolean => origins.has(origin.toLowerCase()),
    refuseOrigin(origin: string, host: string | undefined): RenError | undefined {
      const name = origin.toLowerCase()
      const site = /^https?:\/\/(.+)$/.exec(name)?.[1]
      if (site !== undefined && site === host?.toLowerCase()) return undefined
      if (origins.has(name)) return undefined
      return new RenError(
        'origin-refused',
        `Origin must be this server or be in allowedOrigins, got ${JSON.stringify(origin)}`,
      )
    },
  }
}

/** Removes the prefix of an IPv4 address that is mapped to IPv6. */
const plainAddress = (address: string | undefined): string | undefined =>
  address?.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** Accepts only JSON in UTF-8. Fastify would replace invalid bytes, which merges users. */
export function parseBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      const [, encoding = 'utf-8'] = charset.exec(request.headers['content-type'] ?? '') ?? []
      if (!/^utf-?8$/i.test(encoding)) return done(refusedCharset(encoding))
      if (!isUtf8(body)) return done(notUtf8)
      void parse(request, body.toString(), (error, value) =>
        done(value === null ? isNull : error, value),
      )
    },
  )
}

// A missing body counts as an empty one, but `null` does not.
const isNull = invalid('body must be an object, got null', 'body')
const notUtf8 = invalid('the body must be UTF-8', 'body')

const refusedCharset = (encoding: string): RenError =>
  new RenError(
    'content-type-refused',
    `the charset of the body must be utf-8, got ${JSON.stringify(encoding)}`,
  )
