// Requests to a service over keep-alive connections, with low CPU cost for the client.

import { Agent, request as send } from 'node:http'

export interface HttpClient {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: object): Promise<T>
  remove<T>(path: string): Promise<T>
  close(): void
}

export function createClient(address: string): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const { hostname: host, port } = new URL(address)

  function call<T>(method: string, path: string, body?: object): Promise<T> {
    const json = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      'content-length': Buffer.byteLength(json),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    return new Promise((resolve, reject) => {
      const sent = send({ agent, host, port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isGood = answer.statusCode! >= 200 && answer.statusCode! <= 299
          if (isGood) resolve(JSON.parse(text) as T)
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`))
        })
      })
      sent.on('error', reject)
      sent.end(json)
    })
  }

  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    remove: (path) => call('DELETE', path),
    close: () => agent.destroy(),
  }
}

/** Runs `work` for every item, at most `width` at a time. Results are in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  results.length = items.length
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
