// A proxy between a client and the socket of a PostgreSQL server that cuts, delays or freezes connections.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export interface UnreliableProxy {
  /** The address of a schema through the proxy. */
  address(schema: string): string
  /** Cuts all connections. */
  cut(): void
  /** Lets the server receive what was sent, but loses its answers, and cuts all connections soon after. */
  loseAnswers(): void
  /** Holds back everything that clients send on the current connections for some milliseconds. */
  delayRequests(ms: number): void
  close(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

export async function unreliableProxy(folder: string): Promise<UnreliableProxy> {
  const pairs = new Set<Pair>()
  const listener = createServer((client) => {
    const server = connect(join(folder, '.s.PGSQL.5432'))
    const pair = { client, server }
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    client.on('close', end)
    server.on('close', end)
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('data', (bytes) => server.write(bytes))
    server.on('data', (bytes) => client.writable && client.write(bytes))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const cut = (some: Iterable<Pair> = pairs): void => {
    for (const { client, server } of some) {
      client.destroy()
      server.destroy()
    }
  }
  return {
    address: (schema) => `postgres://postgres@127.0.0.1:${port}/postgres?schema=${schema}`,
    cut: () => cut(),
    loseAnswers() {
      const current = [...pairs]
      for (const { server } of current) server.removeAllListeners('data').resume()
      setTimeout(() => cut(current), 10)
    },
    delayRequests(ms) {
      for (const { client, server } of pairs) {
        const held: Buffer[] = []
        client.removeAllListeners('data').on('data', (bytes: Buffer) => held.push(bytes))
        client.removeAllListeners('close')
        setTimeout(() => {
          for (const bytes of held) server.write(bytes)
          client.removeAllListeners('data').on('data', (bytes) => server.write(bytes))
          if (client.destroyed) server.end()
        }, ms)
      }
    },
    async close() {
      cut()
      listener.close()
      await once(listener, 'close')
    },
  }
}
