// ren restore: a store from a copy of one.

import { copyFile, rm, stat } from 'node:fs/promises'

import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import { describeCopy, refuseToReplace } from './store-copy.ts'
import type { StoreCopy } from './store-copy.ts'
import { addStoreOption, isThere, makeRoom, requireStore, withStore } from './store-option.ts'
import type { StoreOption } from './store-option.ts'
import { requireWritable, writeWhole } from './whole-file.ts'

interface RestoreOptions extends StoreOption {
  readonly from: string
  readonly force?: true
  readonly json?: true
}

export function addRestore(program: Command): void {
  const command = program.command('restore').description('make a store from a copy of one')
  addStoreOption(command)
    .requiredOption('--from <file>', 'the copy, as ren backup wrote it')
    .option('--force', 'replace a store that is there, unless a service has it')
    .option('--json', 'print one JSON document')
    .action(runRestore)
}

async function runRestore(options: RestoreOptions): Promise<void> {
  const { store: path, from, force, json } = options
  await requireStore(from)
  await requireAtRest(from)
  await refuseToReplace(path, force)
  await makeRoom(path)
  await requireWritable(path)
  const copy = await restore(from, path)
  console.log(json ? JSON.stringify(copy) : describeCopy(copy))
}

async function restore(from: string, to: string): Promise<StoreCopy> {
  const start = performance.now()
  let events = 0
  await writeWhole(to, async (part) => {
    await copyFile(from, part)
    // Opened once, it is known to be whole and of a version that this package can read.
    events = await withStore({ store: part }, async (store) => (await store.size()).events)
    if (await isThere(to)) await requireFree(to)
    for (const beside of besides) await rm(`${to}${beside}`, { force: true })
  })
  const { size: bytes } = await stat(to)
  return { from, to, events, bytes, seconds: (performance.now() - start) / 1000 }
}

/** What SQLite keeps beside a file: left there, it would be taken for part of the new one. */
const besides = ['-wal', '-shm'] as const

/** A store that somebody writes to is more than its file. */
async function requireAtRest(from: string): Promise<void> {
  const log = await stat(`${from}-wal`).catch(() => null)
  if (log === null || log.size === 0) return
  throw new RenError(
    'store-in-use',
    `${from} is in use, or was not closed: ren backup makes a copy of such a store`,
  )
}

/** Refuses to replace a store that a service has. One that is damaged may be replaced. */
async function requireFree(path: string): Promise<void> {
  try {
    await withStore({ store: path }, (store) => store.claim())
  } catch (error) {
    if (!(error instanceof RenError && error.code === 'store-damaged')) throw error
  }
}
