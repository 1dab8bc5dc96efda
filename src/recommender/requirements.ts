// The checks of what comes from outside: events, requests and names.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { CatalogView } from './catalog.ts'

/** The largest absolute reward that events may carry. Models square rewards in float32. */
export const largestReward = 1e6

export function isReward(value: number): boolean {
  return Number.isFinite(value) && Math.abs(value) <= largestReward
}

export function requireReward(what: string, value: number): void {
  requireNumber(what, value)
  if (isReward(value)) return
  throw invalid(`${what} must be from -${largestReward} to ${largestReward}, got ${value}`)
}

export function requireObject(what: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) return
  throw invalid(`${what} must be an object, got ${describeValue(value)}`)
}

/** A name is any text but the empty one. */
export function requireName(what: string, name: unknown): void {
  if (typeof name === 'string' && name !== '') return
  throw invalid(`${what} must be a text that is not empty, got ${describeValue(name)}`)
}

/** Names that are not in use, each once. */
export function requireNew(what: string, names: readonly string[], catalog: CatalogView): void {
  requireList(what, names)
  const seen = new Set<string>()
  for (const [i, name] of names.entries()) {
    requireName(`${what}[${i}]`, name)
    if (catalog.has(name) || seen.has(name)) {
      throw invalid(`${what}[${i}] must be a new name, but ${JSON.stringify(name)} is in use`)
    }
    seen.add(name)
  }
}

/** Names of items that are or were in the catalog. */
export function requireKnown(what: string, names: readonly string[], catalog: CatalogView): void {
  requireList(what, names)
  for (const name of names) catalog.row(name)
}

export function requireList(what: string, values: unknown): void {
  if (Array.isArray(values)) return
  throw invalid(`${what} must be a list, got ${describeValue(values)}`)
}

export function requireNumbers(
  what: string,
  values: readonly number[] | undefined,
  count: number,
  requireEach = requireNumber,
): void {
  if (values === undefined) return
  requireList(what, values)
  if (values.length !== count) {
    throw new RenError('shape-mismatch', `${what} must hold ${count} values, got ${values.length}`)
  }
  for (const [i, value] of values.entries()) requireEach(`${what}[${i}]`, value)
}

export function requireNumber(what: string, value: number): void {
  if (Number.isFinite(value)) return
  throw new RenError(
    'non-finite-input',
    `${what} must be a finite number, got ${describeValue(value)}`,
  )
}

/** A number that float32 can hold. */
export function requireFloat(what: string, value: number): void {
  requireNumber(what, Number.isFinite(value) ? Math.fround(value) : value)
}

export function invalid(message: string): RenError {
  return new RenError('invalid-argument', message)
}
