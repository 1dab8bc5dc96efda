// The checks of what comes out of a recommender's file.

import { RenError } from '../core/errors.ts'
import type { TensorFile } from '../models/index.ts'

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

export const isBelow =
  (bound: number) =>
  (value: number): boolean =>
    value >= 0 && value < bound

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
