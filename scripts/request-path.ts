// Lists the files of src in which at least one function runs in the main thread during one warm
// request, from its arrival until its response is sent, by V8's precise coverage. docs/lifecycle.md
// shows the lists, and test/request-path.test.ts compares them. The response to an interaction waits
// until the event is on disk and applied. The response to a recommendation does not wait, so the list
// excludes the later processing of its event. It also excludes the writer thread, which blocks in
// SQLite and does not respond to the inspector.
//
//     node scripts/request-path.ts            prints both lists
//     node scripts/request-path.ts --write    writes them into docs/lifecycle.md

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
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
}

/** Both lists for a service with default settings and without training, as paths from src. */
export async function measureRequestPaths(): Promise<RequestPaths> {
  const folder = mkdtempSync(join(tmpdir(), 'ren-path-'))
  const coverage = await startCoverage()
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
    return {
      recommend: await coverage.during(recommend, rest),
      record: await coverage.during(record, rest),
    }
  } finally {
    await server.close()
    await service.close()
    await store.close()
    coverage.stop()
    rmSync(folder, { recursive: true })
  }
}

interface Coverage {
  /** The files of src that run until the call resolves. Waits for `rest` between two calls. */
  during(call: () => Promise<unknown>, rest: () => Promise<unknown>): Promise<readonly string[]>
  stop(): void
}

interface Script {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
  }[]
}

async function startCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  // Each call returns the coverage since the previous one.
  const take = async (): Promise<readonly Script[]> => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
  }
  return {
    async during(call, rest) {
      const runs: (readonly string[])[] = []
      while (runs.length < 12) {
        await rest()
        await take()
        await call()
        runs.push(filesThatRan(await take()))
      }
      // Functions that ran in only some of the calls belong to a timer.
      return runs[0]!.filter((file) => runs.every((files) => files.includes(file)))
    },
    stop: () => session.disconnect(),
  }
}

const source = join(checkout, 'src')

function filesThatRan(scripts: readonly Script[]): readonly string[] {
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
export function describePaths({ recommend, record }: RequestPaths): string {
  const list = (title: string, files: readonly string[]): string =>
    `**${title}** (${files.length} files): ${files.map((file) => `\`${file}\``).join(', ')}.`
  return [
    marks.start,
    list('A recommendation', recommend),
    list('An interaction', record),
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
