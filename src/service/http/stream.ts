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

/** The id of the key that a client came with, if any, and further headers of its response. */
export interface Listener {
  readonly key: string | null
  readonly headers: OutgoingHttpHeaders
}

export class Stream {
  readonly #service: Service
  readonly #settings: StreamSettings
  readonly #clock: () => number
  readonly #admits: (key: string | null) => boolean
  /** With the key that each came with. */
  readonly #clients = new Map<ServerResponse, string | null>()
  #id = 0
  #stop: (() => void) | null = null
  #isClosed = false

  constructor(
    service: Service,
    settings: StreamSettings,
    clock: () => number,
    admits: (key: string | null) => boolean,
  ) {
    this.#service = service
    this.#settings = settings
    this.#clock = clock
    this.#admits = admits
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
    // A client that connects while the server stops would delay the end.
    if (this.#isClosed) {
      client.end(this.#text('closing', {}))
      return
    }
    client.on('close', () => this.#remove(client))
    client.on('error', () => this.#remove(client))
    this.#clients.set(client, key)
    const { position } = this.#service
    client.write(this.#text('hello', { time: this.#clock(), position }))
    this.#stop ??= this.#listen()
  }

  /** Sends an event to all clients; costs nothing where there are none. */
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

  // JSON has no line breaks outside of its strings, so one line of data is enough.
  #text(kind: string, data: unknown): string {
    return `id: ${++this.#id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #write(text: string): void {
    const { buffer } = this.#settings
    for (const [client, key] of this.#clients) {
      if (!this.#admits(key)) this.#drop(client, 'its key is not in use any more')
      else if (client.writableLength > buffer)
        this.#drop(client, `more than ${buffer} bytes were waiting`)
      else client.write(text)
    }
  }

  #drop(client: ServerResponse, reason: string): void {
    this.#clients.delete(client)
    client.end(this.#text('dropped', { reason }))
    // A client that does not read even this is disconnected.
    setTimeout(() => client.destroy(), this.#settings.heartbeatMs).unref()
  }

  #remove(client: ServerResponse): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    this.#stop?.()
    this.#stop = null
  }

  #listen(): () => void {
    const { heartbeatMs, metricsMs } = this.#settings
    const unsubscribe = this.#service.subscribe((event) => this.send(event.kind, event))
    const figures = setInterval(() => {
      const { position } = this.#service
      const metrics = this.#service.metrics({ seriesSeconds })
      this.send('metrics', { time: this.#clock(), position, metrics })
    }, metricsMs).unref()
    const heartbeat = setInterval(() => this.#write(': still here\n\n'), heartbeatMs).unref()
    return () => {
      unsubscribe()
      clearInterval(figures)
      clearInterval(heartbeat)
    }
  }
}
