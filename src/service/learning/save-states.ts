// The folded state of every group as snapshots: all at one position, part by part, so that little of
// it is in memory at a time.

import { RenError } from '../../core/errors.ts'
import type { Position } from '../../storage/index.ts'
import { stateSnapshot } from '../snapshots.ts'
import type { TwinStart } from '../twin.ts'
import type { TwinThread } from './thread.ts'

/**
 * Saves what the thread has come to. False where a user was forgotten meanwhile: the state still knew
 * them, and nothing of it was kept.
 */
export async function saveStates(
  { store, settings, groups }: TwinStart,
  thread: TwinThread,
  position: Position,
): Promise<boolean> {
  try {
    for (const { group } of groups) {
      const snapshot = stateSnapshot(group, settings, position, settings.clock())
      await store.writeSnapshot(snapshot, partsOf(thread, group.name))
    }
  } catch (error) {
    if (error instanceof RenError && error.code === 'snapshot-outdated') return false
    throw error
  }
  // Only now: until all groups have the new one, they go on from the one before.
  for (const { group } of groups) {
    await store.trimSnapshots('state', group.name, settings.snapshots.keepStates)
  }
  return true
}

async function* partsOf(thread: TwinThread, group: string): AsyncGenerator<Uint8Array> {
  await thread.ask('saveState', group)
  for (let part; (part = await thread.ask('nextPart', undefined)) !== null;) yield part
}
