// The folded state of every group as snapshots: all at one position, part by part, so that little of
// it is in memory at a time.

import type { Position } from '../../storage/index.ts'
import { trimStates } from '../save-with-retry.ts'
import { stateSnapshot } from '../snapshots.ts'
import type { LearnerStart } from '../learner.ts'
import { partsFrom } from './parts-from.ts'
import type { LearnerThread } from './thread.ts'
import type { Versions } from './versions.ts'

/** Saves what the thread has come to. */
export async function saveStates(
  start: LearnerStart,
  thread: LearnerThread,
  position: Position,
  versions: Versions,
): Promise<void> {
  const { store, settings, groups } = start
  for (const { group } of groups) {
    const snapshot = stateSnapshot(group, settings, position, settings.clock())
    const asked = { group: group.name, itemsInWeights: versions.itemsIn(group) }
    await store.writeSnapshot(snapshot, partsFrom(thread, 'saveState', asked))
  }
  await trimStates(start)
}
