// A batch of sequences side by side, as the layers see it.
//
// Time-major: position t·sequences + s is step t of sequence s. Shorter sequences are padded at the
// end; since every layer is causal, what stands there never reaches a real position, and no loss
// looks at it.

import { RenError } from '../core/errors.ts'

/** What a user did, in order of time: the input of R(·). */
export interface History {
  readonly items: Int32Array
  readonly rewards: Float32Array
  /** Milliseconds since 1970, or any clock that only goes forward. */
  readonly times: Float64Array
}

export interface SequenceBatch {
  readonly steps: number
  readonly sequences: number
  /** Rows of the item table: 0 is the start of a sequence, or padding; k + 1 is item k. */
  readonly rows: Int32Array
  /** Reward and time of the event at each position; 0 at the start and in the padding. */
  readonly rewards: Float32Array
  readonly times: Float64Array
  /**
   * When the event before the first step of each sequence was, −∞ where there was none; absent
   * where every sequence is whole.
   */
  readonly timesBefore?: Float64Array
}

/** Lays histories out side by side, each opened by the start vector where the model has one. */
export function createBatch(histories: readonly History[], withStart: boolean): SequenceBatch {
  const sequences = histories.length
  const start = withStart ? 1 : 0
  const steps = Math.max(1, ...histories.map(({ items }) => items.length + start))
  const rows = new Int32Array(steps * sequences)
  const rewards = new Float32Array(steps * sequences)
  const times = new Float64Array(steps * sequences)
  for (const [s, history] of histories.entries()) {
    for (let event = 0; event < history.items.length; event++) {
      const position = (event + start) * sequences + s
      rows[position] = history.items[event]! + 1
      rewards[position] = history.rewards[event]!
      times[position] = history.times[event]!
    }
  }
  return { steps, sequences, rows, rewards, times }
}

/** The last `count` events of a history. */
export function lastEvents({ items, rewards, times }: History, count: number): History {
  const from = Math.max(0, items.length - count)
  return {
    items: items.subarray(from),
    rewards: rewards.subarray(from),
    times: times.subarray(from),
  }
}

/** Refuses a history with an item outside the catalogue. */
export function requireKnownItems(items: Int32Array | readonly number[], itemCount: number): void {
  const at = items.findIndex((item) => !(Number.isInteger(item) && item >= 0 && item < itemCount))
  if (at < 0) return
  throw new RenError(
    'index-out-of-range',
    `history: event ${at} names item ${items[at]}, the catalogue has ${itemCount}`,
  )
}
