// A log of interactions in columns, and the sequences of its users. Dataset readers create it, and
// splits, training and evaluation use it.

import { invalid } from './errors.ts'

/**
 * The interactions of a log in columns: row `r` is one interaction. Rows are sorted by user, then
 * by time; rows of equal time stay in their original order.
 */
export interface InteractionLog {
  /** The index of each row's user in `userNames`. */
  readonly users: Int32Array
  /** The index of each row's item in `itemNames`. */
  readonly items: Int32Array
  /** The reward of each row; 1 if the source has no rewards. */
  readonly rewards: Float32Array
  /** Milliseconds since 1970, or the row number if the source has no times. */
  readonly times: Float64Array
  /**
   * The period of each row, such as its week, in logs that were published in periods; absent in
   * others.
   */
  readonly periods?: Int32Array
  /** Name of each user index. The parts of a split share the names of the whole. */
  readonly userNames: readonly string[]
  /** Name of each item index; its length is the size of the catalog. */
  readonly itemNames: readonly string[]
}

/** The interactions of one user or session, oldest first. The arrays are views into the log. */
export interface UserSequence {
  /** The index of the user in the log's `userNames`. */
  readonly user: number
  /** The index of each item in the log's `itemNames`. */
  readonly items: Int32Array
  /** The reward of each interaction. */
  readonly rewards: Float32Array
  /** The time of each interaction, as in the log. */
  readonly times: Float64Array
}

/**
 * A sequence for evaluation: each item from position `firstTarget` on is predicted from the items
 * before it.
 */
export interface TestSequence extends UserSequence {
  /** The position of the first item to predict, counted from 0. */
  readonly firstTarget: number
}

/** Drops the items that `isKnown` refuses. The first of the remaining items is never a target. */
export function filterSequence(
  { user, items, rewards, times, firstTarget }: TestSequence,
  isKnown: (item: number) => boolean,
): TestSequence {
  const isSelected = (_: number, row: number): boolean => isKnown(items[row]!)
  return {
    user,
    items: items.filter(isKnown),
    rewards: rewards.filter(isSelected),
    times: times.filter(isSelected),
    // The first event has no history to predict it from.
    firstTarget: Math.max(1, items.subarray(0, firstTarget).filter(isKnown).length),
  }
}

/**
 * Splits a log into one sequence per user, oldest interaction first. The arrays are views into the
 * log.
 */
export function byUser({ users, items, rewards, times }: InteractionLog): UserSequence[] {
  const sequences: UserSequence[] = []
  for (let start = 0, end = 0; start < users.length; start = end) {
    const user = users[start]!
    while (end < users.length && users[end] === user) end += 1
    if (end < users.length && users[end]! < user) {
      throw invalid(
        `the rows of a log must be sorted by user, but row ${end} is not: call sortLog first`,
      )
    }
    sequences.push({
      user,
      items: items.subarray(start, end),
      rewards: rewards.subarray(start, end),
      times: times.subarray(start, end),
    })
  }
  return sequences
}

/**
 * Sorts rows by user, then by time, as an {@link InteractionLog} requires. Rows of equal time keep
 * their order.
 */
export function sortLog(log: InteractionLog): InteractionLog {
  const { users, times, userNames } = log
  const starts = new Int32Array(userNames.length + 1) // user u owns [starts[u], starts[u + 1])
  for (const user of users) starts[user + 1]! += 1
  for (let user = 0; user < userNames.length; user++) starts[user + 1]! += starts[user]!
  const next = starts.slice()
  const order = new Int32Array(users.length)
  for (let row = 0; row < users.length; row++) order[next[users[row]!]!++] = row
  for (let user = 0; user < userNames.length; user++) {
    sortByTime(order.subarray(starts[user], starts[user + 1]), times)
  }
  return pickRows(log, order)
}

/**
 * Returns the rows that `isSelected` accepts, in the same order, with the same user and item names.
 */
export function filterRows(
  log: InteractionLog,
  isSelected: (row: number) => boolean,
): InteractionLog {
  const selected = new Int32Array(log.users.length)
  let count = 0
  for (let row = 0; row < selected.length; row++) if (isSelected(row)) selected[count++] = row
  return pickRows(log, selected.subarray(0, count))
}

/** Sorts row numbers by time, stably. Most logs are in order of time already. */
function sortByTime(rows: Int32Array, times: Float64Array): void {
  for (let at = 1; at < rows.length; at++) {
    if (times[rows[at]!]! < times[rows[at - 1]!]!) {
      rows.sort((a, b) => times[a]! - times[b]!)
      return
    }
  }
}

function pickRows(log: InteractionLog, rows: Int32Array): InteractionLog {
  const rewards = new Float32Array(rows.length)
  const times = new Float64Array(rows.length)
  for (let at = 0; at < rows.length; at++) {
    rewards[at] = log.rewards[rows[at]!]!
    times[at] = log.times[rows[at]!]!
  }
  const pick = (column: Int32Array): Int32Array => rows.map((row) => column[row]!)
  return {
    ...log,
    users: pick(log.users),
    items: pick(log.items),
    rewards,
    times,
    ...(log.periods && { periods: pick(log.periods) }),
  }
}

/**
 * Many short lists of indices in two arrays: list `l` is `values.subarray(offsets[l], offsets[l +
 * 1])`.
 */
export interface IndexLists {
  /** One entry more than there are lists; the first is 0. */
  readonly offsets: Int32Array
  readonly values: Int32Array
}

/** Returns a view of one list. */
export function listAt(lists: IndexLists, list: number): Int32Array {
  return lists.values.subarray(lists.offsets[list], lists.offsets[list + 1])
}
