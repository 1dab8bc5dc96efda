// The output of `ren serve`, as text or JSON lines.

import type { RequestLine } from '../service/http/options.ts'
import type { LogMessage, Service } from '../service/index.ts'
import type { Position } from '../storage/index.ts'
import { showLocation } from '../storage/postgres/address.ts'
import { filesText, type FilesReport } from './import-files.ts'
import type { ServePlan } from './serve-plan.ts'
import type { ServeOptions } from './serve.ts'
import { count, rounded } from './status-line.ts'

export type ServeReport = ReturnType<typeof createServeReport>

interface Start {
  readonly address: string
  readonly service: Service
  readonly plan: ServePlan
  /** Whether the page is built. */
  readonly hasPage: boolean
  /** Whether requests need a key. */
  readonly needsKey: boolean
}

export function createServeReport({ json }: Pick<ServeOptions, 'json'>) {
  const print = (kind: string, about: object, text: () => string): void =>
    console.log(json ? JSON.stringify({ kind, ...about }) : text())
  // Not on standard output, from which scripts read the address.
  const log = (kind: string, about: object, text: () => string): void =>
    console.error(json ? JSON.stringify({ kind, ...about }) : text())
  return {
    imported: (files: FilesReport): void =>
      log('imported', files, () => filesText(files).join('\n')),
    started({ address, service, plan, hasPage: page, needsKey }: Start): void {
      const { items, users, position } = service.health()
      const models = service.model.current().map(({ group, version }) => ({ group, version }))
      const store = showLocation(plan.store)
      const about = { address, page, ...plan, store, items, users, position, models }
      print('started', about, () => welcome(about, needsKey))
    },
    logMessage: (logMessage: LogMessage): void =>
      log('log', logMessage, () => `ren: ${logMessage.level}: ${logMessage.message}`),
    request(line: RequestLine): void {
      const { method, route, status, ms } = line
      log('request', line, () => `${method} ${route} ${status} ${ms.toFixed(1)} ms`)
    },
    stopping: (): void => log('stopping', {}, () => 'stopping; a second Ctrl-C kills the process'),
    stopped: (position: Position): void =>
      print('stopped', { position }, () => `stopped at position ${rounded(position)}`),
  }
}

interface Started extends ServePlan, Pick<Start, 'address'> {
  readonly page: boolean
  readonly items: number
  readonly users: number
  readonly position: number
  readonly models: readonly { readonly group: string; readonly version: number }[]
}

function welcome(started: Started, needsKey: boolean): string {
  const { address, page, store, demo, why, items, users, position, models } = started
  const versions = models.map(({ group, version }) => `${group} version ${version}`)
  const holds = `${count(items, 'item')}, ${count(users, 'user')}, position ${rounded(position)}`
  const runs = demo
    ? 'a demo: simulated users compare REN with the same model without exploration'
    : 'the service'
  return [
    `open     ${address}`,
    ...(page ? [] : ['page     not built yet; run npm run build:page and start again']),
    `runs     ${runs} (${why})`,
    `store    ${store}${demo ? ', created again at each start' : ''}: ${holds}`,
    `model    ${versions.join(', ')}`,
    `try      ${exampleOf(started, needsKey)}`,
  ].join('\n')
}

/** A request for items if there are none to recommend. */
function exampleOf({ address, items }: Started, needsKey: boolean): string {
  const [path, body] =
    items > 0
      ? ['/v1/recommendations', { user: 'ann', count: 3 }]
      : ['/v1/items', { items: [{ item: 'tea' }, { item: 'coffee' }] }]
  const key = needsKey ? ` -H 'authorization: Bearer YOUR_KEY'` : ''
  const type = ` -H 'content-type: application/json'`
  return `curl -s ${address}${path}${key}${type} -d '${JSON.stringify(body)}'`
}
