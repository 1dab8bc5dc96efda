// A load generator with low overhead: keep-alive connections on raw sockets, with one request at a time
// on each.

import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

export interface Load {
  readonly port: number
  readonly connections: number
  /** The next request of a connection. */
  readonly next: () => LoadRequest
  readonly seconds: number
}

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  readonly perSecond: number
  /** Milliseconds from the last byte of the request to the last byte of the response. */
  readonly latencies: Float64Array
}

export async function runLoad({ port, connections, next, seconds }: Load): Promise<LoadResult> {
  const latencies: number[] = []
  let failures = 0
  const start = performance.now()
  const end = start + 1000 * seconds
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await open(port)
      while (performance.now() < end) {
        const requested = performance.now()
        const status = await connection.send(next())
        if (status < 200 || status > 299) failures += 1
        latencies.push(performance.now() - requested)
      }
      connection.close()
    }),
  )
  const took = (performance.now() - start) / 1000
  return {
    requests: latencies.length,
    failures,
    perSecond: latencies.length / took,
    latencies: Float64Array.from(latencies).toSorted(),
  }
}

/** The quantile of sorted values. */
export const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN

interface Connection {
  /** The status of the response. */
  send(request: LoadRequest): Promise<number>
  close(): void
}

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return {
    send(request) {
      const answered = answerOf(socket)
      socket.write(textOf(request, port))
      return answered
    },
    close: () => socket.destroy(),
  }
}

function textOf({ method, path, body }: LoadRequest, port: number): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`
  if (body === undefined) return `${head}\r\n`
  const json = JSON.stringify(body)
  const length = Buffer.byteLength(json)
  return `${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${json}`
}

/** Reads one response with a content-length, as the service sends them. */
function answerOf(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let [text, missing] = ['', -1]
    let status = 0
    const stop = (): void => {
      socket.off('data', take)
      socket.off('error', fail)
      socket.off('close', closed)
    }
    const fail = (error: Error): void => {
      stop()
      reject(error)
    }
    const closed = (): void => fail(new Error('the server closed the connection'))
    const take = (chunk: Buffer): void => {
      if (missing >= 0) missing -= chunk.length
      else {
        text += chunk.toString('latin1')
        const headEnd = text.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        status = Number(text.slice(9, 12))
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
        missing = length - (text.length - headEnd - 4)
      }
      if (missing > 0) return
      stop()
      resolve(status)
    }
    socket.on('data', take)
    socket.on('error', fail)
    socket.on('close', closed)
  })
}
