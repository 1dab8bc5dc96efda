// Checks the OpenAPI document as a server serves it: with the linter of Redocly always, and with
// Schemathesis and two generators of clients where they are installed.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, makeKey, openService } from 'ren-recommender/service'
import { createMemoryStore } from 'ren-recommender/storage'
import { checkout } from './checkout.ts'

interface Place {
  readonly url: string
  readonly key: string
  /** The file with the document. */
  readonly document: string
  readonly folder: string
}

interface Tool {
  /** The command, which prints its version with `--version`. */
  readonly command: string
  readonly args: (place: Place) => readonly string[]
}

/**
 * Schemathesis runs all its checks, except two that JSON Schema cannot satisfy: valid data may be refused
 * (a time may be at most a day from now), and a list may have invalid entries, which do not affect the
 * others. The stream does not end, a revoked key could not continue, and this server has neither
 * experiments nor imports.
 */
const schemathesis: Tool = {
  command: 'schemathesis',
  args: ({ url, key }) => [
    'run',
    `${url}/openapi.json`,
    `--header=Authorization: Bearer ${key}`,
    '--checks=all',
    '--exclude-checks=positive_data_acceptance,negative_data_rejection',
    '--exclude-operation-id-regex=^(stream|revokeKey|startRun|startImport)$',
    '--max-examples=10',
    '--seed=1',
    '--request-timeout=30',
    '--no-color',
  ],
}

const generators: readonly Tool[] = [
  {
    command: 'openapi-python-client',
    args: ({ document, folder }) => [
      'generate',
      `--path=${document}`,
      `--output-path=${join(folder, 'python-client')}`,
      '--fail-on-warning',
    ],
  },
  {
    command: 'openapi-generator-cli',
    args: ({ document, folder }) => [
      'generate',
      `--input-spec=${document}`,
      '--generator-name=python',
      `--output=${join(folder, 'generator')}`,
    ],
  },
]

const redocly = join(checkout, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ren-openapi-'))
  const server = await startServer()
  const document = join(folder, 'openapi.json')
  try {
    writeFileSync(document, await (await fetch(`${server.url}/openapi.json`)).text())
    const place = { ...server, document, folder }
    await run(process.execPath, [redocly, 'lint', '--extends', 'recommended-strict', document])
    for (const { command, args } of [schemathesis, ...generators]) {
      const version = versionOf(command)
      console.log(version === null ? `skipped: ${command} is not installed` : version)
      if (version !== null) await run(command, args(place))
    }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

async function startServer() {
  const store = createMemoryStore()
  const { key, stored } = makeKey({
    name: 'check',
    scopes: ['admin', 'recommend', 'events'],
    time: 0,
  })
  await store.addKey(stored)
  const service = await openService({ store, learning: { enabled: false } })
  const server = await createServer(service, { ownsService: true, rateLimit: false })
  return { key, url: await server.listen({ port: 0 }), close: () => server.close() }
}

function versionOf(command: string): string | null {
  const flag = command === 'openapi-generator-cli' ? 'version' : '--version'
  try {
    return `${command}: ${execFileSync(command, [flag], { encoding: 'utf8' }).trim()}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The process of this script serves meanwhile. */
async function run(command: string, args: readonly string[]): Promise<void> {
  const quiet = { REDOCLY_TELEMETRY: 'off', CI: 'true' }
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...quiet } })
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`${command} ${args[0]!} ended with ${status}`)
}

await main()
