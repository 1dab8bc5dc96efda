// Runs `ren serve` as a child process, as a user would, and sends the requests of the protocols.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { checkout } from '../../scripts/checkout.ts'
import { createClient } from './http-client.ts'
import type { HttpClient } from './http-client.ts'

export interface RenProcess extends HttpClient {
  /** Milliseconds from the start of the process to its first response, including the import. */
  readonly readyMs: number
  readonly port: number
  recommend(request: object): Promise<Slate>
  /** The position after the events. */
  record(events: readonly object[]): Promise<number>
  status(): Promise<ServedStatus>
  usage(): Usage
  stop(): Promise<void>
}

export interface Slate {
  readonly recommendationId: string | null
  readonly items: readonly { readonly item: string }[]
}

export interface ServedStatus {
  readonly problems: readonly string[]
  readonly items: number
  readonly users: number
  readonly position: number
  readonly training?: readonly TrainingStatus[]
  readonly excludeSeen?: { readonly excludes: boolean; readonly repeatRate: number | null }
}

export interface TrainingStatus {
  readonly state: 'waiting' | 'running' | 'done' | 'canceled' | 'failed'
  readonly epoch?: number
  readonly epochs?: number
  readonly secondsLeft?: number | null
  readonly message?: string
}

export interface Usage {
  /** Milliseconds of CPU time of all threads since the start. */
  readonly cpuMs: number
  readonly residentBytes: number
}

export interface ServeTask {
  readonly store: string
  readonly args?: readonly string[]
  /** The checkout that serves; defaults to this one. */
  readonly root?: string
}

/** Resolves when the service has responded to its first request. */
export async function serveRen({
  store,
  args = [],
  root = checkout,
}: ServeTask): Promise<RenProcess> {
  const own = ['--json', '--port', '0', '--no-demo', '--rate-limit', '0', '--store', store]
  const started = performance.now()
  const main = join(root, 'src/cli/main.ts')
  const child = spawn(process.execPath, [main, 'serve', ...own, ...args], { stdio: 'pipe' })
  const stopAlong = (): void => void child.kill('SIGKILL')
  process.once('exit', stopAlong)
  let errors = ''
  child.stderr.on('data', (text) => (errors = (errors + String(text)).slice(-20_000)))
  const exited = once(child, 'exit')
  const [first] = (await Promise.race([once(child.stdout, 'data'), exited])) as unknown[]
  if (!Buffer.isBuffer(first)) throw new Error(`ren serve stopped: ${errors}`)
  const { address } = JSON.parse(String(first).split('\n')[0]!) as { address: string }
  const client = createClient(address)
  await client.get('/v1/status')
  const readyMs = performance.now() - started
  return {
    ...client,
    readyMs,
    port: Number(new URL(address).port),
    recommend: (request) => client.post('/v1/recommendations', request),
    record: async (events) => {
      const report = await client.post<Recorded>('/v1/events', { events })
      if (report.rejected.length === 0) return report.position
      throw new Error(`events were rejected: ${JSON.stringify(report.rejected[0])}`)
    },
    status: () => client.get('/v1/status'),
    usage: () => usageOf(child.pid!),
    async stop() {
      client.close()
      child.kill('SIGINT')
      const [code] = (await exited) as [number | null]
      process.off('exit', stopAlong)
      if (code !== 0) throw new Error(`ren serve ended with ${code}: ${errors}`)
    },
  }
}

export async function putItems(service: RenProcess, names: readonly string[]): Promise<void> {
  for (let from = 0; from < names.length; from += 1000) {
    const items = names.slice(from, from + 1000).map((item) => ({ item }))
    await service.post('/v1/items', { items })
  }
}

interface Recorded {
  readonly position: number
  readonly rejected: readonly object[]
}

/** Values of the process from the operating system; Linux only. */
function usageOf(pid: number): Usage {
  const ticksPerSecond = 100
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const resident = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])
  return {
    cpuMs: ((user + system) * 1000) / ticksPerSecond,
    residentBytes: resident * 1024,
  }
}

/** The bar for a full training run. Longer runs are measured too. */
export const trainingSeconds = 25 * 60
/** The maximum number of seconds until a run starts. */
const startLimit = 180

/**
 * The seconds until the background training run of every model group has ended. Throws if the service
 * has no run, if a run failed, and after four times the bar.
 */
export async function waitForTraining(
  service: RenProcess,
  progress: (message: string) => void,
): Promise<number> {
  const started = performance.now()
  for (let polls = 0; ; polls++) {
    const { training } = await service.status()
    if (training === undefined) throw new Error('/v1/status has no training: nothing to wait for')
    const failed = training.find(({ state }) => state === 'failed' || state === 'canceled')
    if (failed) throw new Error(`training ${failed.state}: ${failed.message ?? 'no message'}`)
    const seconds = (performance.now() - started) / 1000
    if (training.length > 0 && training.every(({ state }) => state === 'done')) {
      for (const { message } of training) progress(message ?? 'training done')
      return seconds
    }
    if (training.length === 0 && seconds > startLimit) throw new Error('no training run started')
    if (seconds > 4 * trainingSeconds) throw new Error(`no end of training after ${seconds} s`)
    if (polls % 30 === 0) progress(describeTraining(training))
    await delay(2000)
  }
}

function describeTraining([first]: readonly TrainingStatus[]): string {
  if (first === undefined) return 'training has not started'
  const { state, epoch = 0, epochs = 0, secondsLeft } = first
  const left = typeof secondsLeft === 'number' ? `, ${Math.round(secondsLeft)} s left` : ''
  return `training ${state}, epoch ${epoch} of ${epochs}${left}`
}
