// Checks of values in a recommender's files, and the formats of saved states.

import { RenError } from '../core/errors.ts'
import type { TensorFile } from '../models/index.ts'

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

type Numbers = Int32Array | Float32Array | Float64Array

// Plain loops: a state has millions of values, and a callback per value would cost more than
// reading.

export function isWithin(values: Numbers, min: number, max: number): boolean {
  for (let i = 0; i < values.length; i++) {
    if (!(values[i]! >= min && values[i]! <= max)) return false
  }
  return true
}

export function isWithinOrNaN(values: Numbers, min: number, max: number): boolean {
  for (let i = 0; i < values.length; i++) {
    if (values[i]! < min || values[i]! > max) return false
  }
  return true
}

/** Whether the numbers from `start` to `end` (exclusive) are from 0 to `max` and never fall. */
export function neverFalls(values: Numbers, max: number, start: number, end: number): boolean {
  let last = 0
  for (let i = start; i < end; i++) {
    if (!(values[i]! >= last)) return false
    last = values[i]!
  }
  return last <= max
}

/** Parses the JSON under a key of a file's metadata. */
export function parsed(file: TensorFile, key: string): unknown {
  try {
    return JSON.parse(file.metadata[key] ?? '')
  } catch (cause) {
    throw malformed(`${key}: expected JSON in the metadata`, cause)
  }
}

export function namesIn(file: TensorFile, key: string): readonly string[] {
  const value = parsed(file, key)
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw malformed(`${key}: expected a list of names`)
}

export function malformed(message: string, cause?: unknown): RenError {
  return new RenError('file-malformed', `recommender file: ${message}`, { cause })
}

// A state of an earlier format is converted when it is read; data that it lacks is empty.

export const stateFormats = ['ren-state-1', 'ren-state-2'] as const
export type StateFormat = (typeof stateFormats)[number]

/** The format that is written. */
export const stateFormat = 'ren-state-2' satisfies StateFormat

export const isStateFormat = (value: unknown): value is StateFormat =>
  (stateFormats as readonly unknown[]).includes(value)

/**
 * Adds the missing tensors to a file with users of `ren-state-1`. That format has no dropped items
 * and no counts of repeats, and does not say which slates may contain seen items or which
 * interactions came from slates.
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
