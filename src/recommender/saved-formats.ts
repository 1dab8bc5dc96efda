// The formats of saved states. A state of an earlier format is read as if it had been written in the
// current one: what it lacks is empty.

import type { TensorFile } from '../models/index.ts'

export const stateFormats = ['ren-state-1', 'ren-state-2'] as const
export type StateFormat = (typeof stateFormats)[number]

/** The format that is written. */
export const stateFormat = 'ren-state-2' satisfies StateFormat

export const isStateFormat = (value: unknown): value is StateFormat =>
  (stateFormats as readonly unknown[]).includes(value)

/**
 * A file with users of `ren-state-1`, which has no items of a dropped past and no counts of repeats. It
 * does not say which slates could hold items that were seen, or which interactions came from slates.
 */
export function fromFormat1(file: TensorFile): TensorFile {
  const { length: users } = file.values('users.slates')
  const { length: slates } = file.values('users.keptSlates.ids')
  const { length: interactions } = file.values('users.history.items')
  const added = new Map<string, Float64Array | Int32Array>([
    ['users.droppedItems', new Float64Array(users)],
    ['users.possibleRepeats', new Float64Array(users)],
    ['users.repeats', new Float64Array(users)],
    ['users.history.fromSlate', new Int32Array(Math.ceil(interactions / 4))],
    ['users.keptSlates.seenAllowed', new Int32Array(Math.ceil(slates / 4))],
    ['users.droppedItems.items', new Int32Array(0)],
    ['users.droppedItems.kinds', new Int32Array(0)],
  ])
  return { ...file, values: (name) => added.get(name) ?? file.values(name) }
}
