// How much one request may contain.

import { invalid } from '../core/errors.ts'

export const limits = {
  /** Bytes of a body, and of one that imports. */
  body: 1 << 20,
  importBody: 32 << 20,
  /** Events, recommendation requests and items a batch. */
  events: 1000,
  requests: 100,
  items: 1000,
  /** Characters of a name or an id. */
  name: 256,
  /** Items of a slate or a page. */
  count: 1000,
  candidates: 10_000,
  /** Items of a map. */
  map: 50_000,
  /** Filters within filters; other JSON of the caller's may nest as deep. */
  depth: 16,
  /** Runs and imports that are remembered, and that wait for their turn. */
  jobs: 100,
  waiting: 16,
} as const

// JSON of the caller may nest only so deep, since it is later read by recursion.

// A filter of filters is an object and a list a level.
const levels = 2 * limits.depth

export function requireShallow(value: unknown, place: string): void {
  if (!isDeeper(value, levels)) return
  throw invalid(
    `${place}: expected at most ${levels} lists and objects within each other, got more`,
  )
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((part) => isDeeper(part, left - 1))
}
