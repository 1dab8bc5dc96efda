// Seeds in plans and on the command line.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import { requireUnique } from './schema.ts'

const maxSeeds = 10_000

/** Parses `200..219`, `7`, or a comma-separated list of these, and retains the order. */
export function parseSeeds(seeds: string | readonly number[]): readonly number[] {
  const list = typeof seeds === 'string' ? seeds.split(',').flatMap(parseRange) : seeds
  requireUnique('seeds', list)
  return list
}

function parseRange(text: string): number[] {
  const [, first, last = first] = /^\s*(\d{1,9})(?:\.\.(\d{1,9}))?\s*$/.exec(text) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (!(from <= to && to - from < maxSeeds)) {
    throw new RenError(
      'invalid-argument',
      `seeds must be integers such as 200..219 or 3,5,8, got ${describeValue(text)}`,
    )
  }
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}
