// Saving a state while users may be erased: one that still knew them is not kept by the store, and
// is made again.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../core/errors.ts'
import type { LearnerStart } from './learner.ts'

/** With longer and longer rests: who was erased by others is known here a little later. */
const rests = [1, 2, 5, 10, 20, 50, 100, 200]

/** The last error where no state is up to date: the log is followed no further. */
export async function saveWithRetry(save: () => Promise<void>): Promise<void> {
  for (const rest of rests) {
    try {
      return await save()
    } catch (error) {
      if (!(error instanceof RenError && error.code === 'snapshot-outdated')) throw error
    }
    await delay(rest)
  }
  return save()
}

/** Not before all groups have the new one: until then they go on from the one before. */
export async function trimStates({ store, settings, groups }: LearnerStart): Promise<void> {
  for (const { group } of groups) {
    await store.trimSnapshots('state', group.name, settings.snapshots.maxStates)
  }
}
