// What the scripts and the cross-cutting tests know of the checkout they stand in.

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { delimiter, join, relative, resolve } from 'node:path'

export const checkout = join(import.meta.dirname, '..')

/** The environment of this process with the checkout's own tools, Node among them, found first. */
export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [join(checkout, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
}

/** Runs a tool to its end and returns what it printed; throws with its output if it failed. */
export function run(command: string, args: readonly string[], cwd = checkout): string {
  const result = spawnSync(command, args, { cwd, env: environment, encoding: 'utf8' })
  if (result.error) throw result.error
  if (result.status !== 0) {
    throw new Error(`${[command, ...args].join(' ')} failed\n${result.stdout}${result.stderr}`)
  }
  return result.stdout
}

/** Files under a folder (of the checkout, if relative) by pattern, as paths from it, sorted. */
export function filesOf(folder: string, pattern = '**/*'): string[] {
  const root = resolve(checkout, folder)
  return globSync(pattern, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
}
