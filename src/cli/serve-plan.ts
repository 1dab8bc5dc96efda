// What `ren serve` serves: the demo where nobody asked for anything else, and otherwise
// somebody's own store.

import { RenError } from '../core/errors.ts'
import { demoStore } from './demo/fresh-store.ts'
import type { ServeOptions } from './serve.ts'
import { isThere, withStore } from './store-option.ts'

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
