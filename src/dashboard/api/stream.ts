// The event stream of the service. EventSource cannot send a key, so the stream is read with fetch.
// It reconnects automatically, with increasing delays.

import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'

import type { Job, LiveEvent, ServiceMetrics } from '../../service/index.ts'
import { failureOf, headersOf, keySettled, onKey } from './request.ts'

/** The messages of the stream, by kind. */
type StreamEvents = {
  readonly [Kind in LiveEvent['kind']]: Extract<LiveEvent, { kind: Kind }>
} & {
  readonly hello: { readonly time: number; readonly position: number }
  readonly metrics: {
    readonly time: number
    readonly position: number
    /** Its series covers one minute; GET /v1/metrics has all of it. */
    readonly metrics: ServiceMetrics
  }
  readonly run: Job
  readonly import: Job
  /** The last message to a client that reads too slowly. */
  readonly dropped: { readonly reason: string }
  /** The last message of a service that stops. */
  readonly closing: Readonly<Record<string, never>>
}
type StreamKind = keyof StreamEvents

export type Connection = 'connecting' | 'open' | 'lost' | 'refused'

interface LiveStream {
  /** Call the returned function to stop. */
  on<Kind extends StreamKind>(kind: Kind, listener: (data: StreamEvents[Kind]) => void): () => void
  onConnection(listener: (connection: Connection) => void): () => void
  readonly connection: Connection
  close(): void
}

const firstWaitMs = 500
const longestWaitMs = 5000

export function openStream(path = '/v1/stream'): LiveStream {
  const listeners = new Map<string, Set<Listener>>()
  const watchers = new Set<(connection: Connection) => void>()
  let connection: Connection = 'connecting'
  let wait = firstWaitMs
  let timer = 0
  let abort = new AbortController()

  const become = (next: Connection): void => {
    if (connection === next) return
    connection = next
    for (const watcher of watchers) watcher(next)
  }
  const tell = (kind: string, text: string): void =>
    reporting(() => {
      const data = JSON.parse(text) as never
      for (const listener of listeners.get(kind) ?? []) reporting(() => listener(data))
    })
  const connect = async (): Promise<void> => {
    const { signal } = (abort = new AbortController())
    await keySettled()
    const response = await fetch(path, { headers: headersOf(false), signal }).catch(() => null)
    if (response?.status === 401 || response?.status === 403) return become('refused')
    if (response?.ok && response.body) {
      wait = firstWaitMs
      become('open')
      await readEvents(response.body, tell)
    } else if (response) reportError(await failureOf(response))
    if (signal.aborted) return
    become('lost')
    timer = window.setTimeout(connect, wait)
    wait = Math.min(longestWaitMs, 2 * wait)
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
    on: (kind, listener) => enter(listenersOf(listeners, kind), listener),
    onConnection: (listener) => enter(watchers, listener),
    get connection() {
      return connection
    },
    close() {
      stopKeys()
      removeEventListener('online', reconnect)
      clearTimeout(timer)
      abort.abort()
    },
  }
}

type Listener = (data: never) => void

function listenersOf(listeners: Map<string, Set<Listener>>, kind: string): Set<Listener> {
  const some = listeners.get(kind) ?? new Set()
  listeners.set(kind, some)
  return some
}

/** Call the returned function to stop. */
function enter<T>(all: Set<T>, one: T): () => void {
  all.add(one)
  return () => all.delete(one)
}

/** An error in a listener must not end the connection. */
function reporting(work: () => void): void {
  try {
    work()
  } catch (error) {
    reportError(error)
  }
}

/** Resolves when the stream has ended or failed. */
async function readEvents(
  body: ReadableStream<Uint8Array>,
  tell: (kind: string, data: string) => void,
): Promise<void> {
  const parse = createEventParser(tell)
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
    if (done) return
    parse(decoder.decode(value, { stream: true }))
  }
}

/** Accepts chunks of any length and emits the kind and the data of every complete event. */
export function createEventParser(emit: (kind: string, data: string) => void) {
  let rest = ''
  return (piece: string): void => {
    const events = (rest + piece).split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const lines = event.split('\n')
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [kind, data] = [field('event'), field('data')]
      if (kind !== undefined && data !== undefined) emit(kind, data)
    }
  }
}

export const StreamContext = createContext<LiveStream | null>(null)

export function useStream(): { readonly stream: LiveStream; readonly connection: Connection } {
  const stream = useContext(StreamContext)!
  const [connection, setConnection] = useState(stream.connection)
  useEffect(() => {
    setConnection(stream.connection)
    return stream.onConnection(setConnection)
  }, [stream])
  return { stream, connection }
}

/** Calls the latest listener while the component is mounted. */
export function useStreamEvents<Kind extends StreamKind>(
  kind: Kind,
  listener: (data: StreamEvents[Kind]) => void,
): void {
  const { stream } = useStream()
  const newest = useRef(listener)
  newest.current = listener
  useEffect(() => stream.on(kind, (data) => newest.current(data)), [stream, kind])
}
