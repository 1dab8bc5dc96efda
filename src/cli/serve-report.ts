// What `ren serve` says: to people in lines, to machines as JSON.

import type { RequestLine } from '../service/http/options.ts'
import type { Notice, Service } from '../service/index.ts'
import type { Position } from '../storage/index.ts'
import { count, whole } from './counts.ts'
import type { ServeOptions } from './serve.ts'

export interface ServeReport {
  /** `needsKey` is whether whoever asks needs a key. */
  started(address: string, service: Service, needsKey: boolean): void
  notice(notice: Notice): void
  request(line: RequestLine): void
  stopping(): void
  stopped(position: Position): void
}

export function createServeReport({ store, json }: ServeOptions): ServeReport {
  const tell = (kind: string, about: object, text: () => string): void =>
    console.log(json ? JSON.stringify({ kind, ...about }) : text())
  // What goes on beside is no output: a script that reads the address is not to wade through it.
  const tellBeside = (kind: string, about: object, text: () => string): void =>
    console.error(json ? JSON.stringify({ kind, ...about }) : text())
  return {
    started(address, service, needsKey) {
      const { items, users, position } = service.health()
      const models = service.model.current().map(({ group, version }) => ({ group, version }))
      const about = { address, store, items, users, position, models }
      tell('started', about, () => welcome(about, needsKey))
    },
    notice: (notice) =>
      tellBeside('notice', notice, () => `ren: ${notice.level}: ${notice.message}`),
    request: (line) =>
      tellBeside(
        'request',
        line,
        () => `${line.method} ${line.route} ${line.status} ${line.ms.toFixed(1)} ms`,
      ),
    stopping: () => tellBeside('stopping', {}, () => 'stopping; once more kills'),
    stopped: (position) =>
      tell('stopped', { position }, () => `stopped at position ${whole(position)}`),
  }
}

interface Started {
  readonly address: string
  readonly store: string
  readonly items: number
  readonly users: number
  readonly position: number
  readonly models: readonly { readonly group: string; readonly version: number }[]
}

function welcome(started: Started, needsKey: boolean): string {
  const { address, store, items, users, position, models } = started
  const versions = models.map(({ group, version }) => `${group} version ${version}`)
  return [
    `address  ${address}`,
    `store    ${store}: ${count(items, 'item')}, ${count(users, 'user')}, position ${whole(position)}`,
    `model    ${versions.join(', ')}`,
    `try      ${exampleOf(started, needsKey)}`,
  ].join('\n')
}

/** Without items there is nothing to recommend. */
function exampleOf({ address, items }: Started, needsKey: boolean): string {
  const [path, body] =
    items > 0
      ? ['/v1/recommendations', { user: 'ann', count: 3 }]
      : ['/v1/items', { items: [{ item: 'tea' }, { item: 'coffee' }] }]
  const key = needsKey ? ` -H 'authorization: Bearer YOUR_KEY'` : ''
  const type = ` -H 'content-type: application/json'`
  return `curl -s ${address}${path}${key}${type} -d '${JSON.stringify(body)}'`
}
