// JSON of the caller's own may nest only so deep: whoever walks it later walks by recursion.

import { RenError } from '../../core/errors.ts'
import { limits } from './limits.ts'

// A filter of filters is an object and a list a level.
const levels = 2 * limits.depth

export function requireShallow(value: unknown, place: string): void {
  if (!isDeeper(value, levels)) return
  throw new RenError(
    'invalid-argument',
    `${place}: expected at most ${levels} lists and objects within each other, got more`,
  )
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((part) => isDeeper(part, left - 1))
}
