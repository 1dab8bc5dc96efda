// Decides what `ren serve` serves: the demo by default, or your own store.

import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { invalid, RenError } from '../core/errors.ts'
import { isPostgres, showLocation } from '../storage/postgres/address.ts'
import { fileError } from './files.ts'
import type { ServeOptions } from './serve.ts'
import { createFolder, defaultStore, withStore, exists } from './store-option.ts'

/**
 * The store of the demo. It is recreated at each start, so that simulated events never mix with
 * real data.
 */
export const demoStore = `./${join(dirname(defaultStore), 'demo.db')}`

/** Suffixes of the files of a store: its own, and those that SQLite and the service add. */
const suffixes = ['', '-wal', '-shm', '-service', '-commits']

/** Deletes the store of an earlier demo. Refuses if it is in use or not a store. */
export async function clearStore(path: string): Promise<void> {
  if (await createFolder(path)) return
  await withStore({ store: path }, (store) => store.claim())
  try {
    for (const suffix of suffixes) await rm(`${path}${suffix}`, { force: true })
  } catch (cause) {
    throw fileError('write', path, cause)
  }
}

export interface ServePlan {
  readonly store: string
  readonly demo: boolean
  /** The reason for the choice, and how to get the other one. */
  readonly why: string
}

/** @param chosen The given options that determine what is served, as flags. */
export async function planService(
  { store, demo }: Pick<ServeOptions, 'store' | 'demo'>,
  chosen: readonly string[],
): Promise<ServePlan> {
  const own = (why: string): ServePlan => ({ store, demo: false, why })
  if (demo === true) {
    if (chosen.length === 0) return demoInsteadOf(store, '--demo')
    throw invalid(`--demo has its own store and settings and cannot be used with ${chosen[0]!}`)
  }
  if (demo === false) return own('--no-demo')
  if (chosen.length > 0) return own(`because of ${chosen[0]!}; --demo runs the demo`)
  if (await isInUse(store)) return own('because this store is not empty; --demo runs the demo')
  return demoInsteadOf(store, 'the default')
}

const demoInsteadOf = (store: string, reason: string): ServePlan => ({
  store: demoStore,
  demo: true,
  why: `${reason}; --no-demo serves ${showLocation(store)}, --catalog and --events serve your own data`,
})

/** Whether the store has events or keys. */
async function isInUse(path: string): Promise<boolean> {
  if (!(await exists(path))) return false
  return withStore({ store: path }, async (store) => {
    return (await store.head()) > 0 || (await store.keys()).length > 0
  })
}

/** Runs `body`. Errors of a store in a file also suggest `--store`. */
export async function withStoreHint<T>(store: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof RenError) || !storeErrors.has(error.code)) throw error
    if (isPostgres(store)) throw error
    const message = `${error.message}; choose another file with --store`
    throw new RenError(error.code, message, { cause: error })
  }
}

const storeErrors: ReadonlySet<string> = new Set([
  'file-missing',
  'store-missing',
  'store-foreign',
  'store-too-new',
  'store-in-use',
  'store-damaged',
  'store-failed',
])
