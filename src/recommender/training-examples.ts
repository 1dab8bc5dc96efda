// The training example of one user: rewards of items at moments of the history.

import type { Feedback, Observation } from '../models/index.ts'
import { impressionFlags, isAnswered, isMet } from './seen-items.ts'
import { interactionsOf } from './user-state.ts'
import type { UserState } from './user-state.ts'

/**
 * Which items teach the model: those that users chose (`selected`), or all shown items whose reward
 * is known (`shown`). `ranking` adds the other items of a slate once the user chose one of them.
 */
export type FeedbackKind = 'selected' | 'shown' | 'ranking'

export interface Teaching {
  readonly kind: FeedbackKind
  /** How many of the last interactions count. */
  readonly window: number
  /** How many interactions must come before; 1 for a model that has no θ before the first. */
  readonly firstMoment: number
  /** In slates up to this time, items without feedback have reward 0; −∞ for no slates. */
  readonly settledBy: number
}

/** What a user's last interactions teach. */
export function exampleOf(user: UserState, teaching: Teaching): Feedback {
  const { history } = user
  const observations: Observation[] = []
  look(user, teaching, (observation) => observations.push(observation) > 0)
  return {
    history: history.columns(Math.max(0, history.length - teaching.window)),
    observations: observations.toReversed(),
  }
}

export function hasExample(user: UserState, teaching: Teaching): boolean {
  let found = false
  look(user, teaching, () => {
    found = true
    return false
  })
  return found
}

/** The earliest time after `time` of a slate that settling would teach from; Infinity if none. */
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
    // The rest of an answered slate has taught already.
    const isTaught = kind === 'ranking' && isAnswered(rowsOf(user, ...range))
    if (!isTaught && hasUnreported(user, ...range)) next = times[at]!
  }
  return next
}

/** From the newest back while `goOn` says so; moments are counted from the start of the window. */
function look(
  user: UserState,
  { kind, window, firstMoment, settledBy }: Teaching,
  goOn: (observation: Observation) => boolean,
): void {
  const start = Math.max(user.history.dropped, interactionsOf(user) - window)
  const { after, items, rewards, flags } = user.impressions.columns()
  const isSettled = settledRows(user, kind, settledBy)
  for (let i = after.length - 1; i >= 0 && after[i]! >= start + firstMoment; i--) {
    const isTaken = (flags[i]! & impressionFlags.taken) !== 0
    if (!isMet(flags[i]!) || (kind === 'selected' && !isTaken)) continue
    const isReported = !Number.isNaN(rewards[i])
    if (!isReported && !isSettled(i)) continue
    const reward = isReported ? rewards[i]! : 0
    if (!goOn({ after: after[i]! - start, item: items[i]!, reward })) return
  }
}

/**
 * Whether an impression without a reward is a 0: its slate is of the time `settledBy` or before, or was
 * answered where that settles it. To be called from the newest impression back.
 */
function settledRows(user: UserState, kind: FeedbackKind, settledBy: number) {
  if (kind !== 'ranking' && settledBy === -Infinity) return () => false
  const { impressions, recentSlates } = user
  const { times, from, counts } = recentSlates.columns()
  let slate = times.length - 1
  const isSettled = (at: number): boolean =>
    times[at]! <= settledBy ||
    (kind === 'ranking' && isAnswered(rowsOf(user, from[at]!, from[at]! + counts[at]!)))
  const decided = new Map<number, boolean>()
  return (index: number): boolean => {
    const place = impressions.dropped + index
    while (slate >= 0 && from[slate]! > place) slate -= 1
    if (slate < 0 || place >= from[slate]! + counts[slate]!) return false
    const known = decided.get(slate) ?? isSettled(slate)
    decided.set(slate, known)
    return known
  }
}

function hasUnreported(user: UserState, from: number, to: number): boolean {
  const { rewards, flags } = rowsOf(user, from, to)
  return rewards.some((reward, i) => Number.isNaN(reward) && isMet(flags[i]!))
}

/** Places count with those that were dropped. */
function rowsOf({ impressions }: UserState, from: number, to: number) {
  const rowAt = (place: number) => Math.max(0, place - impressions.dropped)
  return impressions.columns(rowAt(from), rowAt(to))
}
