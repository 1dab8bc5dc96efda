// What one user teaches: what is known of items at moments of the history.

import type { Feedback, Observation } from '../models/index.ts'
import { impressionFlags, interactionsOf, isMet } from './user-state.ts'
import type { UserState } from './user-state.ts'

/** Which items teach: those that users took, or all that were shown and whose reward is known. */
export type FeedbackKind = 'selected' | 'shown'

export interface Teaching {
  readonly kind: FeedbackKind
  /** How many of the last interactions count. */
  readonly window: number
  /** How many interactions must come before; 1 for a model that has no θ before the first. */
  readonly firstMoment: number
  /** Of slates up to this time, what nobody told of was worth 0; of none where it is −∞. */
  readonly settledBy: number
}

/** What a user's last interactions teach. */
export function lessonOf(user: UserState, teaching: Teaching): Feedback {
  const { history } = user
  const observations: Observation[] = []
  look(user, teaching, (observation) => observations.push(observation) > 0)
  return {
    history: history.columns(Math.max(0, history.length - teaching.window)),
    observations: observations.toReversed(),
  }
}

export function hasLesson(user: UserState, teaching: Teaching): boolean {
  let found = false
  look(user, teaching, () => {
    found = true
    return false
  })
  return found
}

/** The earliest time after `time` of a slate that settling would teach from; Infinity if none. */
export function nextUntold(user: UserState, time: number): number {
  const { times, from, counts } = user.keptSlates.columns()
  let next = Infinity
  for (let at = 0; at < times.length; at++) {
    const isNearer = times[at]! > time && times[at]! < next
    if (isNearer && hasUntold(user, from[at]!, from[at]! + counts[at]!)) next = times[at]!
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
  const isSettled = settledBy === -Infinity ? () => false : settledAt(user, settledBy)
  for (let i = after.length - 1; i >= 0 && after[i]! >= start + firstMoment; i--) {
    const isTaken = (flags[i]! & impressionFlags.taken) !== 0
    if (!isMet(flags[i]!) || (kind === 'selected' && !isTaken)) continue
    const isTold = !Number.isNaN(rewards[i])
    if (!isTold && !isSettled(i)) continue
    const reward = isTold ? rewards[i]! : 0
    if (!goOn({ after: after[i]! - start, item: items[i]!, reward })) return
  }
}

/** Whether an impression's slate is of that time or before; to be asked from the newest back. */
function settledAt({ impressions, keptSlates }: UserState, time: number) {
  let slates: ReturnType<typeof keptSlates.columns> | undefined
  let slate = keptSlates.length - 1
  return (index: number): boolean => {
    const { times, from, counts } = (slates ??= keptSlates.columns())
    const place = impressions.dropped + index
    while (slate >= 0 && from[slate]! > place) slate -= 1
    return slate >= 0 && place < from[slate]! + counts[slate]! && times[slate]! <= time
  }
}

/** Places count with those that were dropped. */
function hasUntold({ impressions }: UserState, from: number, to: number): boolean {
  const kept = (place: number) => Math.max(0, place - impressions.dropped)
  const { rewards, flags } = impressions.columns(kept(from), kept(to))
  return rewards.some((reward, i) => Number.isNaN(reward) && isMet(flags[i]!))
}
