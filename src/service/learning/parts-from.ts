// What the learner's thread saves, part by part, so that little of it is in memory at a time.

import { releaseMemory } from '../../core/release-memory.ts'
import type { Asked } from './calls.ts'
import type { LearnerThread } from './thread.ts'

/** Each part is gone when the next is asked for. */
export async function* partsFrom<Name extends 'saveWeights' | 'saveState'>(
  thread: LearnerThread,
  what: Name,
  asked: Asked<Name>,
): AsyncGenerator<Uint8Array> {
  await thread.ask(what, asked)
  for (let part; (part = await thread.ask('nextPart', undefined)) !== null;) {
    yield part
    releaseMemory(part)
  }
}
