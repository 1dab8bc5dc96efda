// Runs a few lines in another process, for tests with several processes.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export interface Script {
  readonly process: ChildProcess
  /** Resolves with the next line of its output, or null after its end. */
  nextLine(): Promise<string | null>
  /** Resolves with the remaining output when the process exits with code 0. */
  rest(): Promise<string>
}

/** Runs the text of a module; paths are relative to the checkout. Its threads cannot load files. */
export const runScript = (module: string): Script =>
  runNode(['--input-type=module', '--eval', module])

/** Runs a module of the checkout with arguments. */
export const runFile = (path: string, ...args: readonly string[]): Script =>
  runNode([path, ...args])

function runNode(args: readonly string[]): Script {
  const child = spawn(process.execPath, args, {
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
