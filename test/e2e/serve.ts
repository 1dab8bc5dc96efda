// A server for the browser tests: one folder and an empty page, on the loopback address, isolated
// from other origins as shared memory requires.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

export interface StaticServer {
  readonly url: string
  close(): Promise<void>
}

const page = '<!doctype html><title>test</title><link rel="icon" href="data:,">'
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
}

export async function serve(folder: string): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname)
    const content = path === '/' ? Promise.resolve(page) : readFile(join(folder, path))
    content.then(
      (body) => {
        response.writeHead(200, {
          'content-type': types[extname(path) || '.html'] ?? 'application/octet-stream',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-embedder-policy': 'require-corp',
        })
        response.end(body)
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
