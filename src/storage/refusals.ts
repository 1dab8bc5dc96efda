// Checks that all stores share.

import { invalid, RenError } from '../core/errors.ts'
import type { Mark, NewSnapshot, StoredKey, RetainedSnapshots } from './event-store.ts'
import type { Position } from './log-event.ts'

/** @param current The value of the mark in the store. */
export function requireUnmoved({ name, was }: Mark, current: string | null): void {
  if (was === undefined || was === current) return
  const [expected, got] = [was, current].map((value) => (value === null ? 'none' : `"${value}"`))
  const message = `mark ${name} must be ${expected}, got ${got}; nothing was written`
  throw new RenError('mark-moved', message)
}

export function requireNewKey(isKnown: boolean, { id }: StoredKey): void {
  if (isKnown) throw invalid(`the key id must be new, got ${id}`)
}

/** Refuses a state from before the last erasure, since it contains the erased user. */
export function requireUpToDate(
  { kind, scope, position }: Pick<NewSnapshot, 'kind' | 'scope' | 'position'>,
  lastErasure: Position,
): void {
  if (kind !== 'state' || position >= lastErasure) return
  const message =
    `the state of ${scope} at position ${position} was not saved: ` +
    `a user was erased at position ${lastErasure}`
  throw new RenError('snapshot-outdated', message)
}

/** The error for a snapshot that does not exist, or whose bytes were dropped. */
export const noSuchSnapshot = (id: number): RenError =>
  invalid(`the store does not contain the bytes of snapshot ${id}`)

/** Whether a snapshot stays when others are dropped; `place` is 0 for the newest. */
export const isRetained = (retained: RetainedSnapshots, id: number, place: number): boolean =>
  typeof retained === 'number' ? place < retained : retained.includes(id)
