// Which sessions hold which items, both ways round, as the neighbourhood baselines need it.

import { byUser } from '../core/log.ts'
import type { InteractionLog, UserSequence } from '../core/log.ts'

/** Lists of integers end to end: list `i` is values [starts[i], starts[i + 1]). */
export interface Lists {
  readonly starts: Int32Array
  readonly values: Int32Array
}

/** Sessions as sets of items. They are numbered by their last time, the most recent highest. */
export interface SessionIndex {
  readonly itemCount: number
  readonly sessionCount: number
  /** The distinct items of each session. */
  readonly itemsOf: Lists
  /** The sessions of each item, ascending. */
  readonly sessionsOf: Lists
}

/** The list at `index`. */
export function listAt({ starts, values }: Lists, index: number): Int32Array {
  return values.subarray(starts[index], starts[index + 1])
}

/** Indexes a log; each user is a session. */
export function createSessionIndex(log: InteractionLog): SessionIndex {
  const sessions = byUser(log)
    .toSorted((a, b) => lastTime(a) - lastTime(b))
    .map(({ items }) => Int32Array.from(new Set(items)))
  const itemCount = log.itemNames.length
  const itemsOf = concatenate(sessions)
  return {
    itemCount,
    sessionCount: sessions.length,
    itemsOf,
    sessionsOf: transpose(itemsOf, itemCount),
  }
}

function lastTime({ times }: UserSequence): number {
  return times[times.length - 1]!
}

function concatenate(lists: readonly Int32Array[]): Lists {
  const starts = new Int32Array(lists.length + 1)
  for (const [index, list] of lists.entries()) starts[index + 1] = starts[index]! + list.length
  const values = new Int32Array(starts[lists.length]!)
  for (const [index, list] of lists.entries()) values.set(list, starts[index])
  return { starts, values }
}

/** Turns "values of each list" into "lists of each value", for values below `valueCount`. */
function transpose(lists: Lists, valueCount: number): Lists {
  const starts = new Int32Array(valueCount + 1)
  for (const value of lists.values) starts[value + 1]! += 1
  for (let value = 0; value < valueCount; value++) starts[value + 1]! += starts[value]!
  const next = starts.slice()
  const values = new Int32Array(lists.values.length)
  for (let index = 0; index < lists.starts.length - 1; index++) {
    for (const value of listAt(lists, index)) values[next[value]!++] = index
  }
  return { starts, values }
}
