// A worktree of the commit that costs are compared with.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checkout, run } from '../../scripts/checkout.ts'

export const baseCommit = 'ec9ab3e'

/** Runs `body` with the folder of the worktree, and removes it afterwards. */
export async function* withBaseCheckout<T>(
  folder: string,
  body: (root: string) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const root = join(folder, 'base')
  run('git', ['worktree', 'add', '--detach', root, baseCommit])
  try {
    symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'))
    yield* body(root)
  } finally {
    run('git', ['worktree', 'remove', '--force', root])
  }
}
