// The checks of what comes out of a recommender's file.

import { RenError } from '../core/errors.ts'
import type { TensorFile } from '../models/index.ts'

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

type Numbers = Int32Array | Float32Array | Float64Array

// Plain loops: a state has millions of values, and a call for each would cost more than reading it.

export function isWithin(values: Numbers, least: number, most: number): boolean {
  for (let i = 0; i < values.length; i++) {
    if (!(values[i]! >= least && values[i]! <= most)) return false
  }
  return true
}

export function isWithinOrNaN(values: Numbers, least: number, most: number): boolean {
  for (let i = 0; i < values.length; i++) {
    if (values[i]! < least || values[i]! > most) return false
  }
  return true
}

/** Whether the numbers from `start` to `end` go from 0 at least to `most` at most without falling. */
export function neverFalls(values: Numbers, most: number, start: number, end: number): boolean {
  let last = 0
  for (let i = start; i < end; i++) {
    if (!(values[i]! >= last)) return false
    last = values[i]!
  }
  return last <= most
}

/** The JSON that stands in a file's metadata. */
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
