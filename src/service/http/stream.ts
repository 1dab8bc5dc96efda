// Server-sent events: each is written once as text and handed to all who listen. Nobody is waited
// for: who reads too slowly is told so and let go.

import type { ServerResponse } from 'node:http'

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

export interface Stream {
  add(client: ServerResponse): void
  /** Tells all clients; costs nothing where there are none. */
  send(kind: string, data: unknown): void
  readonly clients: number
  close(): void
}

export function createStream(
  service: Service,
  { buffer, heartbeatMs, metricsMs }: StreamSettings,
  clock: () => number,
): Stream {
  const clients = new Set<ServerResponse>()
  let id = 0
  let stop: (() => void) | null = null
  let isClosed = false

  const write = (text: string): void => {
    for (const client of clients) {
      if (client.writableLength > buffer) drop(client)
      else client.write(text)
    }
  }
  const send = (kind: string, data: unknown): void => {
    if (clients.size > 0) write(eventText(++id, kind, data))
  }
  const farewell = (): string => eventText(++id, 'closing', {})
  const drop = (client: ServerResponse): void => {
    clients.delete(client)
    client.end(eventText(++id, 'dropped', { reason: `more than ${buffer} bytes were waiting` }))
    // Who does not even read this is cut off.
    setTimeout(() => client.destroy(), heartbeatMs).unref()
  }
  const listen = (): (() => void) => {
    const unsubscribe = service.subscribe((event) => send(event.kind, event))
    const metrics = setInterval(() => {
      const { position } = service
      send('metrics', { time: clock(), position, metrics: service.metrics() })
    }, metricsMs).unref()
    const heartbeat = setInterval(() => write(': still here\n\n'), heartbeatMs).unref()
    return () => {
      unsubscribe()
      clearInterval(metrics)
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
    add(client) {
      client.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-accel-buffering': 'no',
      })
      // Whoever comes while the server stops would hold it up.
      if (isClosed) {
        client.end(farewell())
        return
      }
      client.on('close', () => remove(client))
      client.on('error', () => remove(client))
      clients.add(client)
      client.write(eventText(++id, 'hello', { time: clock(), position: service.position }))
      stop ??= listen()
    },
    send,
    get clients() {
      return clients.size
    },
    close() {
      isClosed = true
      for (const client of clients) {
        client.end(farewell())
        remove(client)
      }
    },
  }
}

// JSON has no line breaks outside of its texts, so one line of data is enough.
const eventText = (id: number, kind: string, data: unknown): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
