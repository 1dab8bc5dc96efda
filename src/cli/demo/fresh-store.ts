// The store of the demo: its own, so that nobody's data is ever mixed with what is simulated,
// and created again at each start.

import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { RenError } from '../../core/errors.ts'
import { describeFailure } from '../file-failure.ts'
import { makeRoom, usualStore, withStore } from '../store-option.ts'

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
