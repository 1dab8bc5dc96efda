// Runs `ren serve` in its own process and sends requests to it.

import { once } from 'node:events'
import { startScript } from './run-ren.ts'

/** Its output when it is ready. */
export interface Started {
  readonly address: string
  readonly page: boolean
  readonly store: string
  readonly demo: boolean
  readonly why: string
  readonly items: number
  readonly position: number
}

/** Uses any free port. Resolves with its output when it is ready. */
export async function startServing(
  args: readonly string[],
  options: Parameters<typeof startScript>[2] = {},
) {
  const all = ['serve', '--json', '--port', '0', ...args]
  const { child, ended } = startScript('src/cli/main.ts', all, options)
  const [first] = (await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])])) as [
    string,
  ]
  if (first === '') throw new Error((await ended).stderr)
  return { child, ended, ...(JSON.parse(first.split('\n')[0]!) as Started) }
}

/** Stops it with Ctrl-C. */
export async function stopServing({
  child,
  ended,
}: Pick<Awaited<ReturnType<typeof startServing>>, 'child' | 'ended'>) {
  child.kill('SIGINT')
  return ended
}

export async function send<T = unknown>(address: string, path: string, body?: object): Promise<T> {
  const json = { 'content-type': 'application/json' }
  const sent = body && { method: 'POST', headers: json, body: JSON.stringify(body) }
  return (await (await fetch(`${address}${path}`, sent)).json()) as T
}
