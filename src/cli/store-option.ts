// The store of a command.

import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Option, type Command } from 'commander'

import { RenError } from '../core/errors.ts'
import type { EventStore } from '../storage/index.ts'
import { isPostgres, requireLocation, withSchema } from '../storage/postgres/address.ts'
import { fileError, systemCodeOf } from './files.ts'

export interface StoreOption {
  /** A path, or an address that may contain a password: messages show `location` of the store. */
  readonly store: string
}

/** The default store of a command. */
export const defaultStore = './data/ren.db'

/** The environment variable with the default of `--store`. */
export const storeVariable = 'REN_STORE'

export function addStoreOption(command: Command): Command {
  return command
    .addOption(
      new Option('--store <location>', 'the store: a file, or postgres://user@host/database')
        .default(defaultStore)
        .env(storeVariable),
    )
    .option('--schema <name>', 'the schema of a PostgreSQL store (default: ren)')
    .hook('preAction', (_, action) => {
      const { store, schema } = action.opts<StoreOption & { readonly schema?: string }>()
      requireLocation(store)
      if (schema === undefined) return
      const source = action.getOptionValueSource('store')
      action.setOptionValueWithSource('store', withSchema(store, schema), source)
    })
}

/** Runs `body` with the store, and closes it afterwards. The store must exist. */
export const withStore = <T>(
  option: StoreOption,
  body: (store: EventStore) => Promise<T>,
): Promise<T> => openFor(option, body, false)

async function openFor<T>(
  { store: location }: StoreOption,
  body: (store: EventStore) => Promise<T>,
  create: boolean,
): Promise<T> {
  await (create ? createFolder : requireStore)(location)
  // Loaded here, so that other commands start faster.
  const { openStore } = await import('../storage/index.ts')
  const store = await openStore(location, { create })
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
): Promise<T> => openFor(option, body, true)

/** Creates the folder of a new store in a file. Returns whether that store is new. */
export async function createFolder(path: string): Promise<boolean> {
  if (isPostgres(path) || (await exists(path))) return false
  try {
    await mkdir(dirname(resolve(path)), { recursive: true })
    return true
  } catch (cause) {
    throw fileError('write', path, cause)
  }
}

/** Refuses a file that does not exist. */
export async function requireStore(path: string): Promise<void> {
  if (isPostgres(path) || (await exists(path))) return
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
