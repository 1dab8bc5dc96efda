// What every request passes on its way in and out. All of it is synchronous and made once a route,
// so that a request waits for nothing here.

import { isIP } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onResponseHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteOptions,
} from 'fastify'

import { invalid, RenError } from '../../core/errors.ts'
import type { KeyScope } from '../../storage/index.ts'
import { missingScope } from './key-ring.ts'
import type { KeyRing } from './key-ring.ts'
import { createLatencies } from './latencies.ts'
import type { RouteSchemas } from './openapi.ts'
import { operations } from './operations.ts'
import type { OperationName } from './operations.ts'
import type { RequestLine } from './options.ts'
import type { RouteFigures } from './prometheus.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

// Limits requests per second and caller. Counting is synchronous and starts over each second, so that
// it costs next to nothing per request and drops old callers by itself.

/** Counts a request of a caller at a time in milliseconds; an error where it is one too many. */
type RateLimit = (caller: string, now: number) => RenError | undefined

export function limitRate(most: number): RateLimit {
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
    if (count <= most) return undefined
    return new RenError('rate-limited', `expected at most ${most} requests per second, got more`)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the key that it came with; null where none was needed. */
    keyId: string | null
  }
  interface FastifyContextConfig {
    operation?: OperationName
  }
}

interface GuardSettings extends Callers {
  readonly rateLimit: number | false
  readonly clock: () => number
  readonly onRequest?: (line: RequestLine) => void
}

export interface Guard {
  readonly figures: readonly RouteFigures[]
  readonly schemas: ReadonlyMap<OperationName, RouteSchemas>
  /** From now on a key is needed, whether or not there is one. */
  expose(): void
}

/** Before any route is added. */
export function guardRoutes(app: App, keys: KeyRing, settings: GuardSettings): Guard {
  const figures: RouteFigures[] = []
  const schemas = new Map<OperationName, RouteSchemas>()
  const door: Door = {
    keys,
    exposed: false,
    limit: settings.rateLimit === false ? () => undefined : limitRate(settings.rateLimit),
    clock: settings.clock,
  }
  app.decorateRequest('keyId', null)
  app.addHook('onRequest', admitCallers(settings))
  app.addHook('onRequest', countLost(door))
  app.addHook('onRoute', (route) => {
    const name = requireOperation(route)
    const { access, method, path } = operations[name]
    const figure = {
      route: `${method} ${path}`,
      latencies: createLatencies(),
      statuses: new Float64Array(6),
    }
    figures.push(figure)
    schemas.set(name, route.schema ?? {})
    route.onRequest = access === 'open' ? admitAnybody(door) : admitKeys(door, access)
    route.onResponse = measure(
      figure,
      { method, route: path },
      // A stream is answered for as long as somebody listens, which is no latency.
      { timed: name !== 'stream', onRequest: settings.onRequest },
    )
  })
  return {
    figures,
    schemas,
    expose() {
      door.exposed = true
    },
  }
}

/** A route that is not in the table would be one that nobody has decided who may use. */
function requireOperation({ method, url, config }: RouteOptions): OperationName {
  const name = config?.operation
  if (name && operations[name].method === method && operations[name].path === url) return name
  throw new Error(`the route ${String(method)} ${url} is not in the table of operations`)
}

interface Door {
  readonly keys: KeyRing
  exposed: boolean
  readonly limit: RateLimit
  readonly clock: () => number
}

/** Whoever asks for what is not there is counted too. */
function countLost({ limit, clock }: Door): onRequestHookHandler {
  return ({ is404, ip }, _reply, done) => done(is404 ? limit(ip, clock()) : undefined)
}

function admitAnybody({ limit, clock }: Door): onRequestHookHandler {
  return ({ ip }, _reply, done) => done(limit(ip, clock()))
}

function admitKeys(door: Door, scope: KeyScope): onRequestHookHandler {
  const { keys, limit, clock } = door
  return (request, _reply, done) => {
    const { headers, ip } = request
    if (!keys.locked && !door.exposed) return done(limit(ip, clock()))
    const key = keys.identify(headers.authorization)
    // Whoever has no good key is counted by address, so that guessing is slow.
    if (key === null || key instanceof RenError) return done(limit(ip, clock()) ?? key ?? keyless)
    request.keyId = key.id
    done(limit(key.id, clock()) ?? missingScope(key, scope))
  }
}

const keyless = new RenError(
  'key-required',
  'expected a key as Authorization: Bearer ren_<id>_<secret>, got none',
)

function measure(
  { latencies, statuses }: RouteFigures,
  line: Pick<RequestLine, 'method' | 'route'>,
  { timed, onRequest }: { readonly timed: boolean; readonly onRequest: GuardSettings['onRequest'] },
): onResponseHookHandler {
  return (_request, reply, done) => {
    const { statusCode: status, elapsedTime: ms } = reply
    if (timed) latencies.record(ms)
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

/** A browser asks whether a page of another site may ask (CORS). */
const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

function answerPreflight(reply: FastifyReply): void {
  reply
    .code(204)
    .header('access-control-allow-methods', 'GET, POST, PUT, DELETE')
    .header('access-control-allow-headers', 'authorization, content-type, last-event-id')
    .header('access-control-max-age', 600)
    .send()
}

// Who may be asked for and who may ask: a page of another site must not reach a server of this
// machine, neither by a name it points here (Host) nor from a browser that happens to be near (Origin).

export interface Callers {
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '::1'])

/** Whether only this machine can reach an address. */
export const isLoopback = (address: string): boolean =>
  loopbackNames.has(address) || (isIP(address) === 4 && address.startsWith('127.'))

/** The host of a Host header: no port, no brackets, small letters. */
export function hostName(header: string): string {
  const name = header.toLowerCase()
  if (name.startsWith('[')) return name.slice(1, name.indexOf(']'))
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(0, colon)
}

/** Checks that remember what holds for a server, so that a request costs two look-ups. */
export function checkCallers({ allowedHosts, allowedOrigins }: Callers) {
  const hosts = new Set([...loopbackNames, ...allowedHosts.map((host) => host.toLowerCase())])
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()))

  return {
    /** The address where the connection arrived is a name of this server too. */
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
        `expected a Host of this server or of allowedHosts, got ${JSON.stringify(header ?? null)}`,
      )
    },
    /** Whether an origin is another site's that may ask. */
    isAllowed: (origin: string): boolean => origins.has(origin.toLowerCase()),
    refuseOrigin(origin: string, host: string | undefined): RenError | undefined {
      const asked = origin.toLowerCase()
      const site = /^https?:\/\/(.+)$/.exec(asked)?.[1]
      if (site !== undefined && site === host?.toLowerCase()) return undefined
      if (origins.has(asked)) return undefined
      return new RenError(
        'origin-refused',
        `expected a page of this server or an origin of allowedOrigins, got ${JSON.stringify(origin)}`,
      )
    },
  }
}

/** An IPv4 address as itself where the socket has it mapped into IPv6. */
const plainAddress = (address: string | undefined): string | undefined =>
  address?.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address

// JSON bodies.

export function readJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, text, done) => {
      void parse(request, text, (error, value) =>
        done(error && invalid(`body: ${complaintAbout(text)}`), value),
      )
    },
  )
}

function complaintAbout(text: string): string {
  if (text === '') return 'expected JSON, got nothing'
  try {
    JSON.parse(text)
  } catch (error) {
    return `expected JSON, got another text: ${(error as Error).message.slice(0, 200)}`
  }
  return 'expected no key __proto__ and no constructor with a prototype, got one'
}
