// Helpers of worlds in which a user either wants an item or does not.

import type { RenEvent } from '../core/events.ts'
import type { Outcome } from './environment.ts'

/** Returns an outcome that reports a reward of 1 or 0 per item; the user chooses the hits. */
export function hitsOutcome(
  relevant: readonly boolean[],
  totals: Pick<Outcome, 'reward' | 'bestReward' | 'relevantCount'>,
): Outcome {
  const chosen = [...relevant.keys()].filter((slot) => relevant[slot])
  return { ...totals, reported: relevant.map(Number), chosen, relevant }
}

/** Returns the outcome of a slate whose reward is its precision: hits/slateSize. */
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

/** Returns a slate with the best precision: wanted items first, then other allowed items. */
export function wantedFirst(
  itemNames: readonly string[],
  wanted: ReadonlySet<string>,
  excluded: ReadonlySet<string>,
  slateSize: number,
): readonly string[] {
  const others = itemNames.filter((item) => !wanted.has(item) && !excluded.has(item))
  return [...wanted, ...others].slice(0, slateSize)
}

/** Returns the events of a shown list of items, each wanted or not: the slate, then the choices. */
export function slateEvents(
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

/** Returns interactions that extend the history and do not train the model. */
export function knownItems(user: string, items: readonly string[], time: number): RenEvent[] {
  return items.map((item) => ({ kind: 'interaction', user, item, reward: 1, time, teaches: false }))
}
