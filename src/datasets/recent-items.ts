// What each user took last, while a file is being read: one chain of steps a user, in flat columns.

import { growingColumn } from './growing-column.ts'

/** The last items of every user. */
export interface RecentItems {
  /** Notes what a user took; the same item again, with nothing in between, counts once. */
  add(user: number, item: number): void
  /** The user's last items, oldest first. */
  of(user: number): number[]
}

const none = -1

/** Remembers everything and tells of the last `longest` items of a user. */
export function createRecentItems(longest: number): RecentItems {
  const items = growingColumn(Int32Array)
  const previous = growingColumn(Int32Array) // step before this one of the same user, or none
  const last = growingColumn(Int32Array) // by user

  return {
    add(user, item) {
      while (last.length <= user) last.push(none)
      const before = last.at(user)!
      if (before !== none && items.at(before) === item) return
      last.set(user, items.length)
      items.push(item)
      previous.push(before)
    },
    of(user) {
      const found: number[] = []
      let step = last.at(user) ?? none
      for (; step !== none && found.length < longest; step = previous.at(step)!) {
        found.push(items.at(step)!)
      }
      return found.toReversed()
    },
  }
}
