// Servers for tests, around the services of services.ts: asked without a network unless they listen.

import { createServer, makeKey } from 'ren-recommender/service'
import type {
  Notice,
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
  readonly notices: readonly Notice[]
  /** The answer to a request, its JSON read. */
  ask(method: Method, path: string, options?: AskOptions): Promise<Answer>
  /** A key of these scopes, in the store. */
  addKey(...scopes: KeyScope[]): Promise<string>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'

export interface AskOptions {
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** Null where the text is no JSON. */
  readonly json: unknown
}

const open = new Set<Server>()

/** Closes what a test has left open; after closeServices, so that it comes first. */
export function closeServers(): void {
  afterEach(async () => {
    for (const server of open) await server.close()
    open.clear()
  })
}

export async function startServer(
  options: ServerOptions = {},
  settings: Partial<ServiceSettings> = {},
): Promise<TestServer> {
  const { service, notices } = await startService({ store: createMemoryStore(), ...settings })
  const server = await createServer(service, {
    rateLimit: false,
    onNotice: (notice) => notices.push(notice),
    ...options,
  })
  open.add(server)
  return {
    server,
    service,
    notices,
    ask: (method, path, asked) => ask(server, method, path, asked),
    async addKey(...scopes) {
      const { key, stored } = makeKey({ name: scopes.join(' '), scopes, time: 0 })
      await service.store.addKey(stored)
      return key
    },
  }
}

async function ask(
  server: Server,
  method: Method,
  path: string,
  { body, headers = {} }: AskOptions = {},
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
