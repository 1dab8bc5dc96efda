// Limits on the size of requests, and on how deeply their JSON may nest.

import { invalid } from '../core/errors.ts'

export const limits = {
  /** Bytes per request body, and per body of an import. */
  body: 1 << 20,
  importBody: 32 << 20,
  /** Events, recommendation requests and items per batch. */
  events: 1000,
  requests: 100,
  items: 1000,
  /** Characters per name or id. */
  name: 256,
  /** Items per slate or page. */
  count: 1000,
  candidates: 10_000,
  /** Items per map. */
  map: 50_000,
  /** Levels of nested filters. */
  depth: 16,
  /** Runs or imports in the list, and those that wait for their turn. */
  jobs: 100,
  waiting: 16,
} as const

// Each level of a nested filter is an object and a list.
const levels = 2 * limits.depth

/** Refuses deeply nested JSON, since recursive functions read it later. */
export function requireShallow(value: unknown, path: string): void {
  if (!isDeeper(value, levels)) return
  throw invalid(`${path} must have at most ${levels} nested lists and objects, got more`, path)
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((part) => isDeeper(part, left - 1))
}
