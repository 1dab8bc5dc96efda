// Reads a log in batches, with a pause in between that lets other work of the thread run.

import { setImmediate } from 'node:timers/promises'

import { RenError } from '../core/errors.ts'
import type { ReadOptions } from './event-store.ts'
import type { Position, StoredEvent } from './log-event.ts'

/** An event, or a description of its damage. */
export type ReadEvent = StoredEvent | { readonly position: Position; readonly damage: string }

const batchSize = 500

/**
 * Reads up to the head at the time of the call. Errors surface when the batches are read.
 *
 * @param next Reads the events after one position and up to another, in order.
 */
export function readBatches(
  after: Position,
  { upTo = Number.MAX_SAFE_INTEGER, onDamaged = refuseDamage }: ReadOptions,
  head: () => Position | Promise<Position>,
  next: (after: Position, upTo: Position) => readonly ReadEvent[] | Promise<readonly ReadEvent[]>,
): AsyncIterable<readonly StoredEvent[]> {
  const end = Promise.try(head).then((position) => Math.min(upTo, position))
  end.catch(() => {}) // thrown when the batches are read
  return (async function* () {
    const last = await end
    for (let at = after; at < last; await setImmediate()) {
      const upToHere = Math.min(at + batchSize, last)
      const events = sift(await next(at, upToHere), at, upToHere, onDamaged)
      if (events.length > 0) yield events
      at = upToHere
    }
  })()
}

/** Reports damaged events, and missing ones, since positions have no gaps. */
function sift(
  found: readonly ReadEvent[],
  after: Position,
  upTo: Position,
  onDamaged: (position: Position, reason: string) => void,
): readonly StoredEvent[] {
  const events: StoredEvent[] = []
  let expected = after + 1
  const missing = (until: Position): void => {
    for (; expected < until; expected++) onDamaged(expected, 'it is missing')
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

export function refuseDamage(position: Position, reason: string): never {
  throw new RenError('store-damaged', `the event at position ${position} is damaged: ${reason}`)
}
