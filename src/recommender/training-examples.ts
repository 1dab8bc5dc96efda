// Training examples of users: rewards of items at moments of the history.

import type { Feedback, Observation } from '../models/index.ts'
import {
  impressionFlags,
  isAnswered,
  wasSeen,
  interactionsOf,
  knownRewards,
  rowsOf,
} from './user-state.ts'
import type { UserState } from './user-state.ts'

/**
 * Which items teach the model: those that users chose (`selected`), or all shown items whose reward
 * is known (`shown`). `ranking` adds the other items of a slate once the user chose one of them.
 */
export type FeedbackKind = 'selected' | 'shown' | 'ranking'

/** Which events become training examples. */
export interface Teaching {
  readonly kind: FeedbackKind
  /** The number of last interactions that count. */
  readonly window: number
  /** The minimum of preceding interactions; 1 for a model without θ before the first. */
  readonly firstMoment: number
  /** In slates up to this time, items without feedback have reward 0; −∞ for no slates. */
  readonly settledBy: number
}

/** Creates the training example of a user. */
export function exampleOf(user: UserState, teaching: Teaching): Feedback {
  const { history } = user
  return {
    history: history.columns(Math.max(0, history.length - teaching.window)),
    observations: [...newestFirst(user, teaching)].toReversed(),
  }
}

/**
 * Returns the items that a user was shown and left, by the retained interaction that each is
 * compared with: the choices of the moment at which it was shown, or the next choice if there is none.
 * They are the negatives of `ranking`, in the order of interactions.
 *
 * @param settledBy See `Teaching`.
 */
export function leftItems(user: UserState, settledBy: number): LeftItem[] {
  const teaching = { kind: 'ranking', window: Infinity, firstMoment: 0, settledBy } as const
  const shown = [...newestFirst(user, teaching)].toReversed()
  const items = user.history.column('items')
  return [...Map.groupBy(shown, ({ after }) => after).values()]
    .flatMap((ofMoment) => leftOfMoment(ofMoment, items))
    .toSorted((one, other) => one.after - other.after)
}

type LeftItem = Pick<Observation, 'after' | 'item'>

/**
 * How many choices a left item is compared with: half of them shown before it, and half after it. Where
 * all feedback of a day arrives at once, a moment has hundreds of choices.
 */
const maxChoices = 10

/** @param shown What the user was shown at one moment, in order. */
function leftOfMoment(shown: readonly Observation[], items: Int32Array): LeftItem[] {
  if (shown.every(({ reward }) => reward > 0)) return []
  const choiceAt = shown.map(({ after, item, reward }) =>
    reward > 0 ? items.indexOf(item, after) : -1,
  )
  const choices = choiceAt.filter((choice) => choice >= 0)
  let before = 0
  return shown.flatMap(({ after, item, reward }, place) => {
    if (choiceAt[place]! >= 0) before += 1
    if (reward > 0) return []
    const first = Math.max(0, Math.min(before, choices.length - maxChoices / 2) - maxChoices / 2)
    const near = choices.slice(first, first + maxChoices)
    return Array.from(near.length > 0 ? new Set(near) : [after], (choice) => ({
      after: choice,
      item,
    }))
  })
}

export const hasExample = (user: UserState, teaching: Teaching): boolean =>
  newestFirst(user, teaching).next().done !== true

/**
 * Returns the earliest time after `time` of a slate with unreported rewards to settle, or Infinity.
 */
export function nextUnreported(
  user: UserState,
  time: number,
  kind: FeedbackKind = 'shown',
): number {
  const { times, from, counts } = user.recentSlates.columns()
  let next = Infinity
  for (let at = 0; at < times.length; at++) {
    if (!(times[at]! > time && times[at]! < next)) continue
    const range = [from[at]!, from[at]! + counts[at]!] as const
    // With `ranking`, an answer settles the rest of its slate.
    const isSettled = kind === 'ranking' && isAnswered(rowsOf(user, ...range))
    if (!isSettled && hasUnreported(user, ...range)) next = times[at]!
  }
  return next
}

/**
 * Yields the observations of a user, the newest first. `after` counts from the start of the window.
 */
function* newestFirst(
  user: UserState,
  { kind, window, firstMoment, settledBy }: Teaching,
): Generator<Observation, void> {
  const start = Math.max(user.history.dropped, interactionsOf(user) - window)
  const { after, items, flags } = user.impressions.columns()
  const rewardOf = knownRewards(user, kind === 'ranking', settledBy)
  for (let i = after.length - 1; i >= 0 && after[i]! >= start + firstMoment; i--) {
    if (kind === 'selected' && (flags[i]! & impressionFlags.chosen) === 0) continue
    const reward = rewardOf(i)
    if (!Number.isNaN(reward)) yield { after: after[i]! - start, item: items[i]!, reward }
  }
}

function hasUnreported(user: UserState, from: number, to: number): boolean {
  const { rewards, flags } = rowsOf(user, from, to)
  return rewards.some((reward, i) => Number.isNaN(reward) && wasSeen(flags[i]!))
}
