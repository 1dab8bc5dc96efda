// Worktrees of earlier commits for the comparison of costs, each with the packages of that commit.

import { join } from 'node:path'
import { run } from '../../scripts/checkout.ts'

export const baseCommit = 'ec9ab3e'

/** Runs `body` with the folder of a worktree of the base commit, and removes it afterwards. */
export async function* withBaseCheckout<T>(
  folder: string,
  body: (root: string) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const root = addCheckout(baseCommit, folder)
  try {
    yield* body(root)
  } finally {
    removeCheckout(root)
  }
}

export function addCheckout(commit: string, folder: string): string {
  const root = join(folder, 'base')
  run('git', ['worktree', 'add', '--detach', root, commit])
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], root)
  return root
}

export const removeCheckout = (root: string): string =>
  run('git', ['worktree', 'remove', '--force', root])
