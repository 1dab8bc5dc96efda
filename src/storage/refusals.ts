// What every store refuses in the same words.

import { RenError } from '../core/errors.ts'
import type { Mark, NewSnapshot, StoredKey, RetainedSnapshots } from './event-store.ts'
import type { Position } from './log-event.ts'

/** `now` is what the mark is in the store. */
export function requireUnmoved({ name, was }: Mark, now: string | null): void {
  if (was === undefined || was === now) return
  const [expected, got] = [was, now].map((value) => (value === null ? 'none' : `"${value}"`))
  const message = `the mark ${name}: expected ${expected}, and it is ${got}; nothing was written`
  throw new RenError('mark-moved', message)
}

export function requireNewKey(isKnown: boolean, { id }: StoredKey): void {
  if (isKnown) throw new RenError('invalid-argument', `there is a key of the id ${id} already`)
}

/** A state from before a user was erased knows of that user. */
export function requireUpToDate(
  { kind, scope, position }: Pick<NewSnapshot, 'kind' | 'scope' | 'position'>,
  lastErasure: Position,
): void {
  if (kind !== 'state' || position >= lastErasure) return
  const message =
    `the state of ${scope} at position ${position} was not kept: ` +
    `a user was erased at position ${lastErasure}`
  throw new RenError('snapshot-outdated', message)
}

/** For a snapshot that was never there, or whose bytes were dropped. */
export function noSuchSnapshot(id: number): RenError {
  return new RenError('invalid-argument', `the store has no bytes of a snapshot ${id}`)
}

/** Whether a snapshot stays when others are dropped; `place` counts from the newest, which is 0. */
export const isRetained = (retained: RetainedSnapshots, id: number, place: number): boolean =>
  typeof retained === 'number' ? place < retained : retained.includes(id)
