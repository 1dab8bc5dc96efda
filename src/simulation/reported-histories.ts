// The reported part of each user's history, in logs that repeat the history with every impression.

import { historyBefore } from '../core/impression-log.ts'
import type { ImpressionLog } from '../core/impression-log.ts'
import type { RenEvent } from '../recommender/index.ts'
import { knownItems } from './hit-or-miss.ts'

export interface ReportedHistories {
  /** The events that the history before an impression adds to those already reported. */
  newEventsBefore(row: number): readonly RenEvent[]
  /** Reported clicks in an impression, which later histories may contain again. */
  addClicks(row: number, items: readonly string[]): void
}

/** Of each history the last `lastHistory` items count. */
export function createReportedHistories(
  log: ImpressionLog,
  lastHistory: number,
): ReportedHistories {
  const reported = log.userNames.map(() => ({ history: new Int32Array(), clicks: [] as string[] }))
  return {
    newEventsBefore(row) {
      const user = reported[log.users[row]!]!
      const history = historyBefore(log, row).slice(-lastHistory)
      const newer = history.subarray(overlap(user.history, history))
      user.history = history
      const unreported = Array.from(newer, (item) => log.itemNames[item]!).filter((item) => {
        const place = user.clicks.indexOf(item)
        if (place >= 0) user.clicks.splice(place, 1)
        return place < 0
      })
      return knownItems(userOf(log, row), unreported, log.times[row]!)
    },
    addClicks(row, items) {
      reported[log.users[row]!]!.clicks.push(...items)
    },
  }
}

/** Who saw an impression. */
export function userOf({ users, userNames }: ImpressionLog, row: number): string {
  return userNames[users[row]!]!
}

/** The most items that end one history and begin the next: histories move on like a window. */
function overlap(before: Int32Array, after: Int32Array): number {
  for (let length = Math.min(before.length, after.length); length > 0; length--) {
    const from = before.length - length
    if (after.subarray(0, length).every((item, at) => item === before[from + at])) return length
  }
  return 0
}
