// Server-sent events: each event is serialized once and sent to all clients. A client that reads too
// slowly gets a last event and is disconnected.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

import type { Service } from '../service.ts'

export interface StreamSettings {
  /**
   * Maximum number of unsent bytes per client; a client beyond it is disconnected. Defaults to 1
   * MiB.
   */
  readonly buffer: number
  /** Milliseconds between two heartbeats. Defaults to 15 seconds. */
  readonly heartbeatMs: number
  /** Milliseconds between two `metrics` events. Defaults to 1 second. */
  readonly metricsMs: number
}

export const streamDefaults: StreamSettings = {
  buffer: 1 << 20,
  heartbeatMs: 15_000,
  metricsMs: 1000,
}

/** Length of the series in metrics events. The whole hour every second would be too much. */
const seriesSeconds = 60

export interface Listener {
  /** The id of the client's API key; null without one. */
  readonly key: string | null
  /** Additional headers of the response. */
  readonly headers: OutgoingHttpHeaders
}

interface StreamOptions extends StreamSettings {
  readonly service: Service
  readonly clock: () => number
  /** Whether a client with an API key, or without one, may receive events now. */
  readonly admits: (key: string | null) => boolean
}

export class Stream {
  readonly #options: StreamOptions
  /** The clients and their keys. */
  readonly #clients = new Map<ServerResponse, string | null>()
  #id = 0
  #stop: (() => void) | null = null
  #isClosed = false

  constructor(options: StreamOptions) {
    this.#options = options
  }

  get clients(): number {
    return this.#clients.size
  }

  add(client: ServerResponse, { key, headers }: Listener): void {
    client.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    // A client that connects during the shutdown must not delay it.
    if (this.#isClosed) {
      client.end(this.#text('closing', {}))
      return
    }
    client.on('close', () => this.#remove(client))
    client.on('error', () => this.#remove(client))
    this.#clients.set(client, key)
    const { service, clock } = this.#options
    client.write(this.#text('hello', { time: clock(), position: service.position }))
    this.#stop ??= this.#listen()
  }

  /** Sends an event to all clients. Costs nothing without clients. */
  send(kind: string, data: unknown): void {
    if (this.#clients.size > 0) this.#write(this.#text(kind, data))
  }

  close(): void {
    this.#isClosed = true
    for (const client of this.#clients.keys()) {
      client.end(this.#text('closing', {}))
      this.#remove(client)
    }
  }

  // JSON.stringify produces no line breaks, so one line of data is enough.
  #text(kind: string, data: unknown): string {
    return `id: ${++this.#id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #write(text: string): void {
    const { buffer, admits } = this.#options
    for (const [client, key] of this.#clients) {
      if (!admits(key)) this.#drop(client, 'the API key was revoked')
      else if (client.writableLength > buffer)
        this.#drop(client, `the client is more than ${buffer} bytes behind`)
      else client.write(text)
    }
  }

  #drop(client: ServerResponse, reason: string): void {
    this.#clients.delete(client)
    client.end(this.#text('dropped', { reason }))
    // Disconnects a client that does not even read this.
    setTimeout(() => client.destroy(), this.#options.heartbeatMs).unref()
  }

  #remove(client: ServerResponse): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    this.#stop?.()
    this.#stop = null
  }

  #listen(): () => void {
    const { service, clock, heartbeatMs, metricsMs } = this.#options
    const unsubscribe = service.subscribe((event) => this.send(event.kind, event))
    const figures = setInterval(() => {
      if (!service.health().live) return this.close()
      const metrics = service.metrics({ seriesSeconds })
      this.send('metrics', { time: clock(), position: service.position, metrics })
    }, metricsMs).unref()
    const heartbeat = setInterval(() => this.#write(': still here\n\n'), heartbeatMs).unref()
    return () => {
      unsubscribe()
      clearInterval(figures)
      clearInterval(heartbeat)
    }
  }
}
