// Server-sent events: each is written once as text and sent to all clients. The stream waits for no
// client: one that reads too slowly gets a last event and is disconnected.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

import type { Service } from '../service.ts'

export interface StreamSettings {
  /** Bytes that may wait for a client. */
  readonly buffer: number
  readonly heartbeatMs: number
  readonly metricsMs: number
}

export const streamDefaults: StreamSettings = {
  buffer: 1 << 20,
  heartbeatMs: 15_000,
  metricsMs: 1000,
}

/** Of the series: an hour of it every second would be too much. */
const seriesSeconds = 60

/** Who listens: the id of the key they came with, if any, and what else their answer's head says. */
export interface Listener {
  readonly key: string | null
  readonly headers: OutgoingHttpHeaders
}

export interface Stream {
  add(client: ServerResponse, listener: Listener): void
  /** Tells all clients; costs nothing where there are none. */
  send(kind: string, data: unknown): void
  readonly clients: number
  close(): void
}

export function createStream(
  service: Service,
  { buffer, heartbeatMs, metricsMs }: StreamSettings,
  clock: () => number,
  admits: (key: string | null) => boolean,
): Stream {
  /** With the key that each came with. */
  const clients = new Map<ServerResponse, string | null>()
  let id = 0
  let stop: (() => void) | null = null
  let isClosed = false

  const write = (text: string): void => {
    for (const [client, key] of clients) {
      if (!admits(key)) drop(client, 'its key is not in use any more')
      else if (client.writableLength > buffer)
        drop(client, `more than ${buffer} bytes were waiting`)
      else client.write(text)
    }
  }
  const send = (kind: string, data: unknown): void => {
    if (clients.size > 0) write(eventText(++id, kind, data))
  }
  const farewell = (): string => eventText(++id, 'closing', {})
  const drop = (client: ServerResponse, reason: string): void => {
    clients.delete(client)
    client.end(eventText(++id, 'dropped', { reason }))
    // Who does not even read this is cut off.
    setTimeout(() => client.destroy(), heartbeatMs).unref()
  }
  const listen = (): (() => void) => {
    const unsubscribe = service.subscribe((event) => send(event.kind, event))
    const figures = setInterval(() => {
      const { position } = service
      const metrics = service.metrics({ seriesSeconds })
      send('metrics', { time: clock(), position, metrics })
    }, metricsMs).unref()
    const heartbeat = setInterval(() => write(': still here\n\n'), heartbeatMs).unref()
    return () => {
      unsubscribe()
      clearInterval(figures)
      clearInterval(heartbeat)
    }
  }
  const remove = (client: ServerResponse): void => {
    clients.delete(client)
    if (clients.size > 0) return
    stop?.()
    stop = null
  }

  return {
    add(client, { key, headers }) {
      client.writeHead(200, {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      // Whoever comes while the server stops would hold it up.
      if (isClosed) {
        client.end(farewell())
        return
      }
      client.on('close', () => remove(client))
      client.on('error', () => remove(client))
      clients.set(client, key)
      client.write(eventText(++id, 'hello', { time: clock(), position: service.position }))
      stop ??= listen()
    },
    send,
    get clients() {
      return clients.size
    },
    close() {
      isClosed = true
      for (const client of clients.keys()) {
        client.end(farewell())
        remove(client)
      }
    },
  }
}

// JSON has no line breaks outside of its texts, so one line of data is enough.
const eventText = (id: number, kind: string, data: unknown): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
