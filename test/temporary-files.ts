// A temporary folder for one test file, removed after its tests.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

export interface TemporaryFiles {
  readonly folder: string
  /** Writes a file and returns its path. The name defaults to a new one. */
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
