// A full disk, and a read-only disk.

import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openStore } from 'ren-recommender/storage'
import { describe, expect, it } from 'vitest'
import { temporaryFiles } from '../temporary-files.ts'
import { surviveFullDisk } from './full-disk.ts'

const run = promisify(execFile)
const { folder } = temporaryFiles()
const script = (name: string): string => new URL(name, import.meta.url).pathname

describe('a full disk', () => {
  it('refuses new events, retains acknowledged ones, and continues to serve', async () => {
    expect(await surviveFullDisk(join(folder, 'full.db'), 1500)).toBeGreaterThan(0)
  }, 60_000)
})

describe('a read-only disk', () => {
  it('is reported at the start, in one line', async () => {
    const readOnly = join(folder, 'read-only')
    mkdirSync(readOnly)
    const store = join(readOnly, 'ren.db')
    await (await openStore(store)).close()
    chmodSync(store, 0o444)
    chmodSync(readOnly, 0o555)
    const cli = script('../../src/cli/main.ts')
    // Root may write anywhere, so another user runs the command.
    const somebody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    chmodSync(folder, 0o755)
    const failure = await run(process.execPath, [cli, 'serve', '--store', store, '--port', '0'], {
      ...somebody,
    }).catch((error: { code: number; stderr: string }) => error)
    chmodSync(readOnly, 0o755)
    expect(failure).toMatchObject({ code: 1 })
    expect((failure as { stderr: string }).stderr).toMatch(/^ren: .*(read-only|permission).*\n$/i)
  }, 30_000)
})
