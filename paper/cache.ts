// A cache on disk of what is slow to compute and the same for many runs, such as a trained model. It
// lives in the folder for temporary files: deleting it costs only time.

import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cacheFolder = join(tmpdir(), `ren-cache-${process.getuid?.() ?? 'user'}`)

/**
 * The file or folder of that name, made by `make` at the path it is given unless it is there. Two
 * threads may both make it; the first to end gives it its name, and it is never there half.
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

/** Short, and another for other values: of anything that JSON can hold. */
export const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

/** A digest of these source files, patterns counted from the checkout: other code, another digest. */
export function codeDigest(...patterns: readonly string[]): string {
  const checkout = join(import.meta.dirname, '..')
  const files = globSync(patterns, { cwd: checkout, exclude: ['**/*.test.ts', '**/*.d.ts'] })
  const hash = createHash('sha256')
  for (const file of files.toSorted()) hash.update(readFileSync(join(checkout, file)))
  return hash.digest('hex')
}
