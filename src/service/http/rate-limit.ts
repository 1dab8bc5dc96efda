// Limits requests per second and caller. Counting is synchronous and starts over each second, so that
// it costs next to nothing per request and drops old callers by itself.

import { RenError } from '../../core/errors.ts'

/** Counts a request of a caller at a time in milliseconds; an error where it is one too many. */
export type RateLimit = (caller: string, now: number) => RenError | undefined

export function limitRate(most: number): RateLimit {
  const counts = new Map<string, number>()
  let second = -1
  return (caller, now) => {
    const current = Math.floor(now / 1000)
    if (current !== second) {
      second = current
      counts.clear()
    }
    const count = (counts.get(caller) ?? 0) + 1
    counts.set(caller, count)
    if (count <= most) return undefined
    return new RenError('rate-limited', `expected at most ${most} requests per second, got more`)
  }
}
