// What happens in the service, as it happens. EventSource cannot carry a key, so the stream is read
// by fetch; it comes back by itself, sooner at first and then less often.

import type { Job, LiveEvent, ServiceMetrics } from '../../service/index.ts'
import { failureOf, headersOf } from './ask.ts'
import { onKey } from './key.ts'

/** Everything the stream tells of, by kind. */
export type StreamEvents = {
  readonly [Kind in LiveEvent['kind']]: Extract<LiveEvent, { kind: Kind }>
} & {
  readonly hello: { readonly time: number; readonly position: number }
  readonly metrics: {
    readonly time: number
    readonly position: number
    /** Its series goes back one minute; GET /v1/metrics has all of it. */
    readonly metrics: ServiceMetrics
  }
  readonly run: Job
  readonly import: Job
}
export type StreamKind = keyof StreamEvents

export type Connection = 'connecting' | 'open' | 'lost' | 'refused'

export interface LiveStream {
  /** Until the returned function is called. */
  on<Kind extends StreamKind>(kind: Kind, listener: (data: StreamEvents[Kind]) => void): () => void
  onConnection(listener: (connection: Connection) => void): () => void
  readonly connection: Connection
  close(): void
}

const firstWaitMs = 500
const longestWaitMs = 5000

export function openStream(path = '/v1/stream'): LiveStream {
  const listeners = new Map<string, Set<(data: never) => void>>()
  const watchers = new Set<(connection: Connection) => void>()
  let connection: Connection = 'connecting'
  let wait = firstWaitMs
  let timer = 0
  let abort = new AbortController()
  let isClosed = false

  const become = (next: Connection): void => {
    if (connection === next) return
    connection = next
    for (const watcher of watchers) watcher(next)
  }
  const tell = (kind: string, data: unknown): void => {
    for (const listener of listeners.get(kind) ?? []) listener(data as never)
  }
  const connect = async (): Promise<void> => {
    const { signal } = (abort = new AbortController())
    try {
      const response = await fetch(path, { headers: headersOf(false), signal })
      if (response.status === 401 || response.status === 403) return become('refused')
      if (!response.ok || !response.body) throw await failureOf(response)
      wait = firstWaitMs
      become('open')
      await readEvents(response.body, tell)
      throw new Error('the stream has ended')
    } catch {
      if (signal.aborted || isClosed) return
      become('lost')
      timer = window.setTimeout(connect, wait)
      wait = Math.min(longestWaitMs, 2 * wait)
    }
  }
  const reconnect = (): void => {
    clearTimeout(timer)
    abort.abort()
    wait = firstWaitMs
    void connect()
  }
  const stopKeys = onKey(reconnect)
  addEventListener('online', reconnect)
  void connect()

  return {
    on(kind, listener) {
      const heard = listeners.get(kind) ?? new Set()
      listeners.set(kind, heard.add(listener))
      return () => heard.delete(listener)
    },
    onConnection(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    get connection() {
      return connection
    },
    close() {
      isClosed = true
      stopKeys()
      removeEventListener('online', reconnect)
      clearTimeout(timer)
      abort.abort()
    },
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  tell: (kind: string, data: unknown) => void,
): Promise<void> {
  const parse = createEventParser(tell)
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parse(decoder.decode(value, { stream: true }))
  }
}

/** Takes pieces of the text in any lengths, and tells of every event that is whole. */
export function createEventParser(tell: (kind: string, data: unknown) => void) {
  let rest = ''
  return (piece: string): void => {
    const events = (rest + piece).split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const lines = event.split('\n')
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [kind, data] = [field('event'), field('data')]
      if (kind !== undefined && data !== undefined) tell(kind, JSON.parse(data))
    }
  }
}
