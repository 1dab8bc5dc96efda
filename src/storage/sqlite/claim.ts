// Claims a store for one service by a lock on a small file beside it, found without symbolic links. The
// system releases the lock when the process ends, even after a crash.

import { DatabaseSync } from 'node:sqlite'

import { RenError } from '../../core/errors.ts'
import { asStoreError, isBusy } from './failures.ts'
import { realPath } from './place.ts'

export type Claim = ReturnType<typeof claimStore>

export function claimStore(path: string) {
  const file = `${realPath(path)}-service`
  try {
    const lock = new DatabaseSync(file, { timeout: 0 })
    try {
      lock.exec('begin exclusive')
    } catch (error) {
      lock.close()
      throw error
    }
    return { release: () => lock.close() }
  } catch (error) {
    if (!isBusy(error)) throw asStoreError(error, file)
    const message = `another service uses the store at ${path}; stop it first`
    throw new RenError('store-in-use', message, { cause: error })
  }
}
