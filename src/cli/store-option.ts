// The store of a command.

import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import type { EventStore } from '../storage/index.ts'
import { fileError, systemCodeOf } from './files.ts'

export interface StoreOption {
  readonly store: string
}

/** The default store of a command. */
export const defaultStore = './data/ren.db'

export function addStoreOption(command: Command): Command {
  return command.option('--store <file>', 'the store', defaultStore)
}

/** Runs `body` with the store, and closes it afterwards. The store must exist. */
export async function withStore<T>(
  { store: path }: StoreOption,
  body: (store: EventStore) => Promise<T>,
  prepare: (path: string) => Promise<unknown> = requireStore,
): Promise<T> {
  await prepare(path)
  // Loaded here, so that other commands start faster.
  const { openSqliteStore } = await import('../storage/index.ts')
  const store = await openSqliteStore(path)
  try {
    return await body(store)
  } finally {
    await store.close()
  }
}

/** Like `withStore`, but creates the store if it does not exist. */
export const withStoreOrNew = <T>(
  option: StoreOption,
  body: (store: EventStore) => Promise<T>,
): Promise<T> => withStore(option, body, createFolder)

/** Creates the folder of a new store. Returns whether the store is new. */
export async function createFolder(path: string): Promise<boolean> {
  if (await exists(path)) return false
  try {
    await mkdir(dirname(resolve(path)), { recursive: true })
    return true
  } catch (cause) {
    throw fileError('write', path, cause)
  }
}

export async function requireStore(path: string): Promise<void> {
  if (await exists(path)) return
  throw new RenError(
    'store-missing',
    `there is no store at ${path}; create one with ren serve or ren import, or choose another with --store`,
  )
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return false
    throw fileError('read', path, cause)
  }
}
