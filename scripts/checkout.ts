// Paths, files and tools of the checkout, for scripts and for tests across folders.

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { delimiter, join, relative, resolve } from 'node:path'

export const checkout = join(import.meta.dirname, '..')

/** The environment of this process, with the tools of the checkout, including Node, first in PATH. */
export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [join(checkout, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
}

/** Runs a tool and returns its output. Throws an error with the output if the tool fails. */
export function run(command: string, args: readonly string[], cwd = checkout): string {
  const result = spawnSync(command, args, { cwd, env: environment, encoding: 'utf8' })
  if (result.error) throw result.error
  if (result.status !== 0) {
    throw new Error(`${[command, ...args].join(' ')} failed\n${result.stdout}${result.stderr}`)
  }
  return result.stdout
}

/** The sorted paths of matching files, relative to `folder`, which is relative to the checkout. */
export function filesOf(folder: string, pattern = '**/*'): string[] {
  const root = resolve(checkout, folder)
  return globSync(pattern, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
}
