// What `ren serve` serves: the demo by default, or your own store.

import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { RenError } from '../core/errors.ts'
import { describeFailure } from './files.ts'
import type { ServeOptions } from './serve.ts'
import { makeRoom, usualStore, withStore, isThere } from './store-option.ts'

// The demo has its own store, created again at each start, so that simulated events never mix with
// real data.

export const demoStore = `./${join(dirname(usualStore), 'demo.db')}`

/** What SQLite and a service keep beside the file. */
const besides = ['', '-wal', '-shm', '-service']

/** Room for a new store; what the last demo left goes. One that is in use, or none, stays. */
export async function clearStore(path: string): Promise<void> {
  if (await makeRoom(path)) return
  await withStore({ store: path }, (store) => store.claim())
  try {
    for (const suffix of besides) await rm(`${path}${suffix}`, { force: true })
  } catch (cause) {
    throw new RenError('file-missing', describeFailure('write', path, cause), { cause })
  }
}

export interface ServePlan {
  readonly store: string
  readonly demo: boolean
  /** Why it is that one, and how to get the other. */
  readonly why: string
}

/** `asked` are the options by which somebody has said what is to be served, as they are written. */
export async function planService(
  { store, demo }: Pick<ServeOptions, 'store' | 'demo'>,
  asked: readonly string[],
): Promise<ServePlan> {
  const own = (why: string): ServePlan => ({ store, demo: false, why })
  if (demo === true) {
    if (asked.length === 0) return demoInsteadOf(store, 'as asked')
    const message = `--demo has a store and settings of its own: it cannot be used with ${asked[0]!}`
    throw new RenError('invalid-argument', message)
  }
  if (demo === false) return own('no demo, as asked')
  if (asked.length > 0)
    return own(`no demo, since ${asked[0]!} is given; ren serve --demo starts one`)
  if (await isInUse(store)) {
    return own(
      `no demo, since this store has something in it; ren serve --demo starts one beside it`,
    )
  }
  return demoInsteadOf(store, 'nothing else was asked for')
}

const demoInsteadOf = (store: string, reason: string): ServePlan => ({
  store: demoStore,
  demo: true,
  why: `${reason}; --no-demo serves ${store}, --catalog and --events your own data`,
})

/** Whether there is anything to lose sight of: events, or keys that let others in. */
async function isInUse(path: string): Promise<boolean> {
  if (!(await isThere(path))) return false
  return withStore({ store: path }, async (store) => {
    return (await store.head()) > 0 || (await store.keys()).length > 0
  })
}

/** Runs `body`; where it fails because of the store's file, the way out is said too. */
export async function withWayOut<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof RenError) || !ofTheFile.has(error.code)) throw error
    const message = `${error.message}; --store takes another file`
    throw new RenError(error.code, message, { cause: error })
  }
}

const ofTheFile: ReadonlySet<string> = new Set([
  'file-missing',
  'store-missing',
  'store-foreign',
  'store-too-new',
  'store-in-use',
  'store-damaged',
  'store-failed',
])
