// The store that a command works on.

import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import type { EventStore } from '../storage/index.ts'
import { describeFailure, systemCodeOf } from './files.ts'

export interface StoreOption {
  readonly store: string
}

/** The default store of a command. */
export const usualStore = './data/ren.db'

export function addStoreOption(command: Command): Command {
  return command.option('--store <file>', 'the store', usualStore)
}

/** Runs `body` with the store and closes it behind it. One that is not there is refused. */
export async function withStore<T>(
  { store: path }: StoreOption,
  body: (store: EventStore) => Promise<T>,
): Promise<T> {
  await requireStore(path)
  return using(path, body)
}

/** As `withStore`, but a store that is not there is made; `isNew` says so. */
export async function withStoreOrNew<T>(
  { store: path }: StoreOption,
  body: (store: EventStore, isNew: boolean) => Promise<T>,
): Promise<T> {
  const isNew = await makeRoom(path)
  return using(path, (store) => body(store, isNew))
}

async function using<T>(path: string, body: (store: EventStore) => Promise<T>): Promise<T> {
  // Loaded here, so that no other command waits for it.
  const { openSqliteStore } = await import('../storage/index.ts')
  const store = await openSqliteStore(path)
  try {
    return await body(store)
  } finally {
    await store.close()
  }
}

/** Makes the folder that a new store goes to; whether it is new. */
export async function makeRoom(path: string): Promise<boolean> {
  if (await isThere(path)) return false
  try {
    await mkdir(dirname(resolve(path)), { recursive: true })
    return true
  } catch (cause) {
    throw new RenError('file-missing', describeFailure('write', path, cause), { cause })
  }
}

export async function requireStore(path: string): Promise<void> {
  if (await isThere(path)) return
  throw new RenError(
    'store-missing',
    `there is no store at ${path}; ren serve and ren import make one, --store names another`,
  )
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return false
    throw new RenError('file-missing', describeFailure('read', path, cause), { cause })
  }
}
