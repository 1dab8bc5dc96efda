// What `ren serve` says: to people in lines, to machines as JSON.

import type { RequestLine } from '../service/http/options.ts'
import type { LogMessage, Service } from '../service/index.ts'
import type { Position } from '../storage/index.ts'
import { filesText } from './import-files.ts'
import type { FilesReport } from './import-files.ts'
import type { ServePlan } from './serve-plan.ts'
import type { ServeOptions } from './serve.ts'
import { count, whole } from './status-line.ts'

export interface ServeReport {
  /** What came of one's own files. */
  imported(files: FilesReport): void
  started(start: Start): void
  logMessage(logMessage: LogMessage): void
  request(line: RequestLine): void
  stopping(): void
  stopped(position: Position): void
}

export interface Start {
  readonly address: string
  readonly service: Service
  readonly plan: ServePlan
  /** Whether the page was built. */
  readonly hasPage: boolean
  /** Whether whoever asks needs a key. */
  readonly needsKey: boolean
}

export function createServeReport({ json }: Pick<ServeOptions, 'json'>): ServeReport {
  const tell = (kind: string, about: object, text: () => string): void =>
    console.log(json ? JSON.stringify({ kind, ...about }) : text())
  // What goes on beside is no output: a script that reads the address is not to wade through it.
  const tellBeside = (kind: string, about: object, text: () => string): void =>
    console.error(json ? JSON.stringify({ kind, ...about }) : text())
  return {
    imported: (files) => tellBeside('imported', files, () => filesText(files).join('\n')),
    started({ address, service, plan, hasPage: page, needsKey }) {
      const { items, users, position } = service.health()
      const models = service.model.current().map(({ group, version }) => ({ group, version }))
      const about = { address, page, ...plan, items, users, position, models }
      tell('started', about, () => welcome(about, needsKey))
    },
    logMessage: (logMessage) =>
      tellBeside('log', logMessage, () => `ren: ${logMessage.level}: ${logMessage.message}`),
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
  const holds = `${count(items, 'item')}, ${count(users, 'user')}, position ${whole(position)}`
  const runs = demo
    ? 'a demo: simulated users, REN against the same model without exploration'
    : 'the service'
  return [
    `open     ${address}`,
    ...(page ? [] : ['page     not built yet: npm run build:page, then start again']),
    `runs     ${runs} (${why})`,
    `store    ${store}${demo ? ', created again at each start' : ''}: ${holds}`,
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
