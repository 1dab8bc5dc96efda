// Users' histories in a few typed arrays, to be moved to another thread without a copy.

import { createRandom } from '../core/random.ts'
import type { History } from '../models/index.ts'
import type { UserState } from './user-state.ts'

export interface PackedHistories {
  /** Where the interactions of each user begin, and at the end how many there are. */
  readonly offsets: Int32Array<ArrayBuffer>
  readonly items: Int32Array<ArrayBuffer>
  readonly rewards: Float32Array<ArrayBuffer>
  /** Null where the model does not read them: they would be half of the memory. */
  readonly times: Float64Array<ArrayBuffer> | null
  /** One number per user from 0 to 1, which depends on the name alone. */
  readonly keys: Float64Array<ArrayBuffer>
}

/** What users chose among the first `itemCount` items of the catalog. */
export function packHistories(
  users: ReadonlyMap<string, UserState>,
  itemCount: number,
  withTimes: boolean,
): PackedHistories {
  let total = 0
  for (const { history } of users.values()) total += history.length
  const [items, rewards, times] = [
    new Int32Array(total),
    new Float32Array(total),
    withTimes ? new Float64Array(total) : null,
  ]
  const offsets = new Int32Array(users.size + 1)
  const keys = new Float64Array(users.size)
  const names = createRandom('held out')
  let [user, at] = [0, 0]
  for (const [name, { history }] of users) {
    const columns = history.columns()
    for (let i = 0; i < columns.items.length; i++) {
      if (columns.items[i]! >= itemCount) continue
      items[at] = columns.items[i]!
      rewards[at] = columns.rewards[i]!
      if (times !== null) times[at] = columns.times[i]!
      at += 1
    }
    keys[user] = names.fork(name).uniform()
    offsets[++user] = at
  }
  if (at === total) return { offsets, items, rewards, times, keys }
  return {
    offsets,
    items: items.slice(0, at),
    rewards: rewards.slice(0, at),
    times: times && times.slice(0, at),
    keys,
  }
}

/** The histories, which share the memory of the packed ones. Times that are not there are all 0. */
export function unpackHistories(packed: PackedHistories): History[] {
  const { offsets, items, rewards, times } = packed
  const longest = offsets.reduce((max, to, i) => Math.max(max, to - (offsets[i - 1] ?? 0)), 0)
  const zeros = new Float64Array(times === null ? longest : 0)
  return Array.from({ length: offsets.length - 1 }, (_, user) => {
    const [from, to] = [offsets[user]!, offsets[user + 1]!]
    return {
      items: items.subarray(from, to),
      rewards: rewards.subarray(from, to),
      times: times === null ? zeros.subarray(0, to - from) : times.subarray(from, to),
    }
  })
}
