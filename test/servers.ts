// Servers for tests with the services of services.ts. Requests need no network unless the server listens.

import { createServer, makeKey } from 'ren-recommender/service'
import type {
  LogMessage,
  Server,
  ServerOptions,
  Service,
  ServiceSettings,
} from 'ren-recommender/service'
import { createMemoryStore } from 'ren-recommender/storage'
import type { KeyScope } from 'ren-recommender/storage'
import { afterEach } from 'vitest'
import { startService } from './services.ts'

export interface TestServer {
  readonly server: Server
  readonly service: Service
  readonly logMessages: readonly LogMessage[]
  /** The response to a request, with parsed JSON. */
  send(method: Method, path: string, options?: SendOptions): Promise<Answer>
  /** The API keys, in the order of their scopes. */
  readonly keys: readonly string[]
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'HEAD'

export interface SendOptions {
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** Null if the text is not JSON. */
  readonly json: unknown
}

const open = new Set<Server>()

/** Closes everything that a test left open. Register it after closeServices, so that it runs first. */
export function closeServers(): void {
  afterEach(async () => {
    for (const server of open) await server.close()
    open.clear()
  })
}

/** `scopes` has one entry per key to create. */
export async function startServer(
  options: ServerOptions = {},
  scopes: readonly (readonly KeyScope[])[] = [],
  settings: Partial<ServiceSettings> = {},
): Promise<TestServer> {
  const { service, logMessages } = await startService({ store: createMemoryStore(), ...settings })
  const keys = scopes.map((some) => makeKey({ name: some.join(' '), scopes: some, time: 0 }))
  for (const { stored } of keys) await service.store.addKey(stored)
  const server = await createServer(service, {
    rateLimit: false,
    onLogMessage: (logMessage) => logMessages.push(logMessage),
    ...options,
  })
  open.add(server)
  return {
    server,
    service,
    logMessages,
    keys: keys.map(({ key }) => key),
    send: (method, path, requested) => send(server, method, path, requested),
  }
}

async function send(
  server: Server,
  method: Method,
  path: string,
  { body, headers = {} }: SendOptions = {},
): Promise<Answer> {
  const {
    statusCode,
    headers: answered,
    payload,
  } = await server.inject({
    method,
    url: path,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: statusCode, headers: answered, text: payload, json: parsed(payload) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
