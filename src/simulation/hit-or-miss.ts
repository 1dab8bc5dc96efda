// What worlds share in which an item is what the user wanted or is not, and nothing between.

import { RenError } from '../core/errors.ts'
import type { RenEvent, Taken } from '../recommender/index.ts'
import type { Outcome } from './environment.ts'

/** All of the slate is told of, 1 or 0, and the hits are taken. */
export function hitsOutcome(
  relevant: readonly boolean[],
  worth: Pick<Outcome, 'reward' | 'bestReward' | 'relevantCount'>,
): Outcome {
  const taken = [...relevant.keys()].filter((slot) => relevant[slot])
  return { ...worth, told: relevant.map(Number), taken, relevant }
}

/** A list that a user saw, as item and whether it was wanted: shown with all rewards, then taken. */
export function seenList(
  user: string,
  list: ReadonlyMap<string, boolean>,
  time: number,
): readonly RenEvent[] {
  const entries = [...list]
  const items = entries.map(([item]) => item)
  const rewards = entries.map(([, wanted]) => Number(wanted))
  const wanted = entries.filter(([, hit]) => hit)
  return [
    { kind: 'shown', user, items, time, rewards },
    ...wanted.map(([item]): Taken => ({ kind: 'taken', user, item, reward: 1, time })),
  ]
}

/** Items that only became known of the user. */
export function knownItems(user: string, items: readonly string[], time: number): RenEvent[] {
  return items.map((item) => ({ kind: 'taken', user, item, reward: 1, time, teaches: false }))
}

/** Refuses settings that are no whole numbers of at least the given. */
export function requireWholeNumbers<Name extends string>(
  world: string,
  settings: Readonly<Record<NoInfer<Name>, number>>,
  least: Readonly<Record<Name, number>>,
): void {
  for (const [name, lowest] of Object.entries(least) as [Name, number][]) {
    const value = settings[name]
    if (Number.isSafeInteger(value) && value >= lowest) continue
    throw invalid(`${world}: ${name} must be a whole number of at least ${lowest}, got ${value}`)
  }
}

export function requireInterval(world: string, interval: number): void {
  if (interval > 0 && interval < Infinity) return
  throw invalid(`${world}: interval must be above 0 milliseconds, got ${interval}`)
}

export function invalid(message: string): RenError {
  return new RenError('invalid-argument', message)
}
