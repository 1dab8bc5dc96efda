// The event stream of the service. EventSource cannot send a key, so the stream is read with fetch.
// It reconnects automatically, with increasing delays.

import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'

import type { LiveEvent, ServiceMetrics } from '../../service/index.ts'
import { failureOf, headersOf, keySettled, onKey } from './request.ts'

/** The messages of the stream that the page uses, by kind. */
type StreamEvents = {
  readonly [Kind in LiveEvent['kind']]: Extract<LiveEvent, { kind: Kind }>
} & {
  readonly metrics: {
    readonly time: number
    readonly position: number
    /** Its series covers one minute; GET /v1/metrics has all of it. */
    readonly metrics: ServiceMetrics
  }
  /** Of this page, not of the service: a change of the connection. */
  readonly connection: Connection
}
type StreamKind = keyof StreamEvents

export type Connection = 'connecting' | 'open' | 'lost' | 'refused'

const [minWaitMs, maxWaitMs] = [500, 5000]

/** The listeners by kind. Errors in a listener and invalid data do not reach the caller. */
function createMessages() {
  const messages = new EventTarget()
  const send = (kind: string, detail: unknown): void =>
    void messages.dispatchEvent(new CustomEvent(kind, { detail }))
  const receive: Emit = (kind, text) => {
    try {
      send(kind, JSON.parse(text))
    } catch (error) {
      reportError(error)
    }
  }
  /** Call the returned function to stop. */
  function on<Kind extends StreamKind>(kind: Kind, listener: (data: StreamEvents[Kind]) => void) {
    const pass = ({ detail }: CustomEventInit<StreamEvents[Kind]>): void => listener(detail!)
    messages.addEventListener(kind, pass)
    return () => messages.removeEventListener(kind, pass)
  }
  return { send, receive, on }
}

export function openStream() {
  const { send, receive, on } = createMessages()
  let connection: Connection = 'connecting'
  let [wait, timer] = [minWaitMs, 0]
  let abort = new AbortController()

  const become = (next: Connection): void => {
    if (connection === next) return
    connection = next
    if (next === 'open') wait = minWaitMs
    send('connection', next)
  }
  const connect = async (): Promise<void> => {
    const { signal } = (abort = new AbortController())
    await keySettled()
    if (!(await readStream(signal, () => become('open'), receive))) return become('refused')
    if (signal.aborted) return
    become('lost')
    timer = window.setTimeout(connect, wait)
    wait = Math.min(maxWaitMs, 2 * wait)
  }
  const reconnect = (): void => {
    clearTimeout(timer)
    abort.abort()
    wait = minWaitMs
    void connect()
  }
  onKey(reconnect)
  addEventListener('online', reconnect)
  void connect()
  return {
    on,
    get connection() {
      return connection
    },
  }
}

type Emit = (kind: string, data: string) => void

/** Resolves when the stream has ended or failed; false if the service refused the key. */
async function readStream(signal: AbortSignal, onOpen: () => void, emit: Emit): Promise<boolean> {
  const request = { headers: headersOf(false), signal }
  const response = await fetch('/v1/stream', request).catch(() => null)
  if (response?.status === 401 || response?.status === 403) return false
  if (response?.ok && response.body) {
    onOpen()
    await readEvents(response.body, emit)
  } else if (response) reportError(await failureOf(response))
  return true
}

/** Resolves when the stream has ended or failed. */
async function readEvents(body: ReadableStream<BufferSource>, emit: Emit): Promise<void> {
  const parse = createEventParser(emit)
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
    if (done) return
    parse(value!)
  }
}

/** Accepts chunks of any length and emits the kind and the data of every complete event. */
export function createEventParser(emit: Emit) {
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

export const StreamContext = createContext<ReturnType<typeof openStream> | null>(null)

export function useConnection(): Connection {
  const stream = useContext(StreamContext)!
  const [connection, setConnection] = useState(stream.connection)
  useEffect(() => {
    setConnection(stream.connection)
    return stream.on('connection', setConnection)
  }, [stream])
  return connection
}

/** Calls the latest listener while the component is mounted. */
export function useStreamEvents<Kind extends StreamKind>(
  kind: Kind,
  listener: (data: StreamEvents[Kind]) => void,
): void {
  const stream = useContext(StreamContext)!
  const newest = useRef(listener)
  newest.current = listener
  useEffect(() => stream.on(kind, (data) => newest.current(data)), [stream, kind])
}
