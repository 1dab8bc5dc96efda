// Lists the files of src in which at least one function runs in the main thread during one warm
// request, from its arrival until its response is sent, by V8's precise coverage. docs/lifecycle.md
// shows the lists, and test/request-path.test.ts compares them. The response to an interaction waits
// until the event is on disk, the response to a recommendation does not wait for the log. Events are
// applied after the response, so a third list shows the files that apply an interaction. All exclude
// the writer thread, which blocks in SQLite and does not respond to the inspector.
//
//     node scripts/request-path.ts            prints both lists
//     node scripts/request-path.ts --write    writes them into docs/lifecycle.md

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Session, type Profiler } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { createServer, openService } from '../src/service/index.ts'
import { openSqliteStore } from '../src/storage/index.ts'
import { checkout } from './checkout.ts'

export interface RequestPaths {
  readonly recommend: readonly string[]
  readonly record: readonly string[]
  /** The files that run after the response to an interaction, until the event is applied. */
  readonly apply: readonly string[]
}

/** The lists for a service with default settings and without training, as paths from src. */
export async function measureRequestPaths(): Promise<RequestPaths> {
  const folder = mkdtempSync(join(tmpdir(), 'ren-path-'))
  const coverage = startCoverage()
  const store = await openSqliteStore(join(folder, 'ren.db'))
  const service = await openService({ store, learning: { enabled: false } })
  const server = await createServer(service, { rateLimit: false })
  try {
    const address = await server.listen({ port: 0 })
    const send = async (path: string, body: object): Promise<unknown> => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const response = await fetch(address + path, { ...request, body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return response.json()
    }
    const recommend = () => send('/v1/recommendations', { user: 'ann', count: 5 })
    const record = () => send('/v1/events', { user: 'ann', item: 'item 1', reward: 1 })
    /** Resolves when all pending events are in the log and applied. */
    const rest = () => delay(150)
    await service.items.put(Array.from({ length: 50 }, (_, i) => ({ item: `item ${i}` })))
    for (let i = 0; i < 20; i++) {
      await recommend()
      await record()
    }
    const { request: ofRecommend } = await coverage.during(recommend, rest)
    const { request: ofRecord, after: apply } = await coverage.during(record, rest)
    return { recommend: ofRecommend, record: ofRecord, apply }
  } finally {
    await server.close()
    await service.close()
    await store.close()
    coverage.stop()
    rmSync(folder, { recursive: true })
  }
}

interface Coverage {
  /**
   * The files of src that run during the request that the call sends, and those that run afterwards
   * until all events are applied. Waits for `rest` between two calls.
   */
  during(
    call: () => Promise<unknown>,
    rest: () => Promise<unknown>,
  ): Promise<{ readonly request: readonly string[]; readonly after: readonly string[] }>
  stop(): void
}

function startCoverage(): Coverage {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  /** Returns the files since the previous call. An inspector of its own thread answers at once. */
  const take = (): readonly string[] => {
    let files: readonly string[] = []
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      files = filesThatRan(result)
    })
    return files
  }
  let during: readonly string[] = []
  const arrive = (): void => void take()
  const finish = (): void => void (during = take())
  subscribe('http.server.request.start', arrive)
  subscribe('http.server.response.finish', finish)
  return {
    async during(call, rest) {
      const runs: { readonly request: readonly string[]; readonly after: readonly string[] }[] = []
      while (runs.length < 12) {
        await rest()
        await call()
        await rest()
        runs.push({ request: during, after: take() })
      }
      // Functions that ran in only some of the calls belong to a timer.
      const inAll = (part: 'request' | 'after') =>
        runs[0]![part].filter((file) => runs.every((files) => files[part].includes(file)))
      return { request: inAll('request'), after: inAll('after') }
    },
    stop() {
      unsubscribe('http.server.request.start', arrive)
      unsubscribe('http.server.response.finish', finish)
      session.disconnect()
    },
  }
}

const source = join(checkout, 'src')

function filesThatRan(scripts: readonly Profiler.ScriptCoverage[]): readonly string[] {
  const ran = scripts.filter(({ url, functions }) => {
    // The module itself starts at offset 0. V8 lists it only if it ran again.
    const own = functions.filter(({ ranges }) => ranges[0]!.startOffset > 0)
    return url.startsWith('file:') && own.some(({ ranges }) => ranges[0]!.count > 0)
  })
  const paths = ran.map(({ url }) => relative(source, fileURLToPath(url)).split(sep).join('/'))
  return [...new Set(paths)].filter((path) => !path.startsWith('..')).toSorted()
}

const document = join(checkout, 'docs/lifecycle.md')
const marks = { start: '<!-- request-path -->', end: '<!-- /request-path -->' }

/** The lists as docs/lifecycle.md shows them. */
export function describePaths({ recommend, record, apply }: RequestPaths): string {
  const list = (title: string, files: readonly string[]): string =>
    `**${title}** (${files.length} files): ${files.map((file) => `\`${file}\``).join(', ')}.`
  return [
    marks.start,
    list('A recommendation', recommend),
    list('An interaction', record),
    list('After the response to an interaction, until it is applied', apply),
    marks.end,
  ].join('\n\n')
}

/** The part of docs/lifecycle.md from the first mark to the second, inclusive. */
export function documentedPaths(): string {
  const text = readFileSync(document, 'utf8')
  return text.slice(text.indexOf(marks.start), text.indexOf(marks.end) + marks.end.length)
}

if (import.meta.main) {
  const paths = describePaths(await measureRequestPaths())
  console.log(paths)
  if (process.argv.includes('--write')) {
    const text = readFileSync(document, 'utf8')
    writeFileSync(document, text.replace(documentedPaths(), paths))
  }
}
