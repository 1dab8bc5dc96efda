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
    throw malformed(`${key} must be JSON in the metadata`, cause)
  }
}

export function namesIn(file: TensorFile, key: string): readonly string[] {
  const value = parsed(file, key)
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw malformed(`${key} must be a list of names`)
}

export function malformed(message: string, cause?: unknown): RenError {
  return new RenError('file-malformed', `recommender file: ${message}`, { cause })
}

/** The format of a saved state. A service replays its log in place of a state in another format. */
export const stateFormat = 'ren-state-2'
