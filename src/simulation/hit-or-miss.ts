// What worlds share in which an item is what the user wanted or is not, and nothing between.

import type { RenEvent } from '../core/events.ts'
import type { Outcome } from './environment.ts'

/** Reports a reward of 1 or 0 for each item of the slate; the user chooses the hits. */
export function hitsOutcome(
  relevant: readonly boolean[],
  worth: Pick<Outcome, 'reward' | 'bestReward' | 'relevantCount'>,
): Outcome {
  const taken = [...relevant.keys()].filter((slot) => relevant[slot])
  return { ...worth, reported: relevant.map(Number), taken, relevant }
}

/** What comes of a slate that is worth its precision: the share of `slateSize` that is wanted. */
export function precisionOutcome(
  slate: readonly string[],
  wanted: ReadonlySet<string>,
  slateSize: number,
): Outcome {
  const relevant = slate.map((item) => wanted.has(item))
  return hitsOutcome(relevant, {
    reward: relevant.filter(Boolean).length / slateSize,
    bestReward: Math.min(slateSize, wanted.size) / slateSize,
    relevantCount: wanted.size,
  })
}

/** A slate of the best precision: what is wanted, then anything else that may be shown. */
export function wantedFirst(
  itemNames: readonly string[],
  wanted: ReadonlySet<string>,
  excluded: ReadonlySet<string>,
  slateSize: number,
): readonly string[] {
  const others = itemNames.filter((item) => !wanted.has(item) && !excluded.has(item))
  return [...wanted, ...others].slice(0, slateSize)
}

/** A list that a user saw, as item and whether it was wanted: shown with all rewards, then taken. */
export function seenList(
  user: string,
  list: ReadonlyMap<string, boolean>,
  time: number,
): readonly RenEvent[] {
  const items = Array.from(list, ([item, wanted]) => ({ item, reward: Number(wanted) }))
  const wanted = items.filter(({ reward }) => reward === 1)
  return [
    { kind: 'recommendation', user, items, time },
    ...wanted.map(({ item }): RenEvent => ({ kind: 'interaction', user, item, reward: 1, time })),
  ]
}

/** Items that only became known of the user. */
export function knownItems(user: string, items: readonly string[], time: number): RenEvent[] {
  return items.map((item) => ({ kind: 'interaction', user, item, reward: 1, time, teaches: false }))
}
