// A process of its own that runs a few lines, for tests of what processes do to each other.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export interface Script {
  readonly process: ChildProcess
  /** Resolves with the next line that it prints; null where it has ended. */
  nextLine(): Promise<string | null>
  /** Resolves with what it printed after those, when it has ended well. */
  rest(): Promise<string>
}

/** Runs the text of a module; its paths count from the checkout. */
export function runScript(module: string): Script {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', module], {
    cwd: `${import.meta.dirname}/..`,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [printed, failed] = ['', '']
  child.stdout.on('data', (text) => (printed += String(text)))
  child.stderr.on('data', (text) => (failed += String(text)))
  const closed = once(child, 'close')
  const nextLine = async (): Promise<string | null> => {
    while (!printed.includes('\n')) {
      const ended = await Promise.race([
        once(child.stdout, 'data').then(() => false),
        closed.then(() => true),
      ])
      if (ended && !printed.includes('\n')) return null
    }
    const end = printed.indexOf('\n')
    const line = printed.slice(0, end)
    printed = printed.slice(end + 1)
    return line
  }
  return {
    process: child,
    nextLine,
    async rest() {
      const [code] = (await closed) as [number | null]
      if (code !== 0) throw new Error(`the script ended with ${code}: ${failed}`)
      return printed
    },
  }
}
