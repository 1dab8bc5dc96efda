// Runs the `ren` command in its own process, and generates a log for it.

import { spawn } from 'node:child_process'
import type { SpawnOptions } from 'node:child_process'
import { join } from 'node:path'
import { createRandom } from '../src/core/random.ts'
import { checkout, environment } from '../scripts/checkout.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** With `interruptAt`, sends Ctrl-C when that text appears on standard error. */
export function runRen(args: readonly string[], interruptAt?: string): Promise<Ended> {
  const { child, ended } = startScript('src/cli/main.ts', args)
  let [stderr, interrupted] = ['', false]
  child.stderr.on('data', (text: string) => {
    stderr += text
    if (interrupted || interruptAt === undefined || !stderr.includes(interruptAt)) return
    interrupted = child.kill('SIGINT')
  })
  return ended
}

/** Starts a script of the checkout in a folder. `ended` resolves with its output. */
export function startScript(
  script: string,
  args: readonly string[],
  { env, ...options }: Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'env'> = {},
) {
  const all = [join(checkout, script), ...args]
  const child = spawn('node', all, { ...options, stdio: 'pipe', env: { ...environment, ...env } })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended }
}

/** Users who walk around a circle of items, one per minute, so that the next item is known. */
export function circleCsv({ users = 60, events = 8, items = 12 } = {}): string {
  const random = createRandom('circle')
  const rows = Array.from({ length: users }, (_, user) => {
    const start = random.integer(items)
    return Array.from({ length: events }, (__, event) => {
      const time = (user * events + event) * 60_000
      return `user ${user},item ${(start + event) % items},1,${time}\n`
    }).join('')
  })
  return `user,item,reward,time\n${rows.join('')}`
}
