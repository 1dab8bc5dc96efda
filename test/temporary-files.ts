// A folder of files for one test file, gone when its tests have run.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

export interface TemporaryFiles {
  readonly folder: string
  /** Writes a file, under a name of its own unless one is given, and answers its path. */
  write(content: string | Uint8Array, name?: string): string
}

export function temporaryFiles(): TemporaryFiles {
  const folder = mkdtempSync(join(tmpdir(), 'ren-files-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let count = 0
  return {
    folder,
    write(content, name = `file-${count++}`) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    },
  }
}
