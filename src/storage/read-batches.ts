// Reading a log in batches, with a pause between them so that whoever reads does not stand still.

import { setImmediate } from 'node:timers/promises'

import { RenError } from '../core/errors.ts'
import type { ReadOptions } from './event-store.ts'
import type { Position, StoredEvent } from './log-event.ts'

/** An event, or why it cannot be read. */
export type ReadEvent = StoredEvent | { readonly position: Position; readonly damage: string }

const batchSize = 500

/** Whatever fails, fails where the batches are read; the end is where the log ends at the call. */
export function readBatches(
  after: Position,
  { upTo = Number.MAX_SAFE_INTEGER, onDamaged = refuseDamage }: ReadOptions,
  head: () => Position,
  /** Those there are, in order, after a position and up to another. */
  next: (after: Position, upTo: Position) => readonly ReadEvent[],
): AsyncIterable<readonly StoredEvent[]> {
  const end = attempt(() => Math.min(upTo, head()))
  return (async function* () {
    const last = end()
    for (let at = after; at < last; await setImmediate()) {
      const upToHere = Math.min(at + batchSize, last)
      const events = sift(next(at, upToHere), at, upToHere, onDamaged)
      if (events.length > 0) yield events
      at = upToHere
    }
  })()
}

// The value is taken now, the error later.
function attempt<T>(take: () => T): () => T {
  try {
    const value = take()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

// Positions have no gaps, so one that is not there is damage like one that cannot be read.
function sift(
  found: readonly ReadEvent[],
  after: Position,
  upTo: Position,
  onDamaged: (position: Position, reason: string) => void,
): readonly StoredEvent[] {
  const events: StoredEvent[] = []
  let expected = after + 1
  const missing = (until: Position): void => {
    for (; expected < until; expected++) onDamaged(expected, 'it is not there')
  }
  for (const event of found) {
    missing(event.position)
    if ('damage' in event) onDamaged(event.position, event.damage)
    else events.push(event)
    expected = event.position + 1
  }
  missing(upTo + 1)
  return events
}

/** For one event that cannot be read. */
export function refuseDamage(position: Position, reason: string): never {
  throw new RenError('store-damaged', `the event at position ${position} is damaged: ${reason}`)
}
