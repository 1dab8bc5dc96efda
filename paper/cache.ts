// Caches results on disk that are slow to compute and equal in many runs, such as a trained model. The
// cache is in the folder for temporary files; if you delete it, the results are computed again.

import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cacheFolder = join(tmpdir(), `ren-cache-${process.getuid?.() ?? 'user'}`)

/**
 * Returns the path of a file or folder. If it does not exist, `make` creates it at a temporary path,
 * which is then renamed, so it is always complete. If two threads create it at once, one result remains.
 */
export async function cached(
  name: string,
  make: (path: string) => void | Promise<void>,
): Promise<string> {
  const path = join(cacheFolder, name)
  if (existsSync(path)) return path
  mkdirSync(cacheFolder, { recursive: true })
  const part = `${path}.${randomUUID()}`
  try {
    await make(part)
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    if (!existsSync(path)) throw error
  }
  return path
}

/** A short digest of a JSON value. */
export const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

/** A digest of source files. The patterns are relative to the checkout. */
export function codeDigest(...patterns: readonly string[]): string {
  const checkout = join(import.meta.dirname, '..')
  const files = globSync(patterns, { cwd: checkout, exclude: ['**/*.test.ts', '**/*.d.ts'] })
  const hash = createHash('sha256')
  for (const file of files.toSorted()) hash.update(readFileSync(join(checkout, file)))
  return hash.digest('hex')
}
