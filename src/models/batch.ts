// A batch of sequences, the input of the layers.
//
// Time-major: position t·sequences + s is step t of sequence s. Shorter sequences are padded at the
// end. Every layer is causal and no loss reads the padding, so its values have no effect.

import { RenError, invalid, shapeMismatch } from '../core/errors.ts'

/** The events of one user, oldest first: the input of a model. */
export interface History {
  /** The row of each item in the catalog. */
  readonly items: Int32Array
  /** The reward of each event. */
  readonly rewards: Float32Array
  /** Milliseconds since 1970, or any other monotonic clock. */
  readonly times: Float64Array
  /**
   * The time of the event before the first one, if this is the end of a longer history; absent
   * otherwise.
   */
  readonly timeBefore?: number
  /** Context of each event (events × c, row-major), for models that read it; absent for others. */
  readonly context?: Float32Array
  /**
   * Items that the user was shown and left; training compares the next choice with them. Defaults
   * to none.
   */
  readonly left?: LeftItems
}

/** Items that a user was shown and did not choose. */
export interface LeftItems {
  /** The number of events of the history before each item, in rising order. */
  readonly after: Int32Array
  /** The row of each item in the catalog. */
  readonly items: Int32Array
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
   * The time of the event before the first one of each sequence, or −∞ if there is none. Absent if
   * all sequences are complete.
   */
  readonly timesBefore?: Float64Array
  /**
   * Context of the event at each position (positions × c), else 0. Absent if no history has
   * context.
   */
  readonly contexts?: Float32Array
}

/** Creates a batch of histories. With `withStart`, the start vector precedes each of them. */
export function createBatch(histories: readonly History[], withStart: boolean): SequenceBatch {
  const sequences = histories.length
  const start = withStart ? 1 : 0
  const steps = Math.max(1, ...histories.map(({ items }) => items.length + start))
  const positions = steps * sequences
  // One buffer for all arrays: for a single history, an allocation costs more than its values.
  const memory = new ArrayBuffer(16 * positions)
  const times = new Float64Array(memory, 0, positions)
  const rows = new Int32Array(memory, 8 * positions, positions)
  const rewards = new Float32Array(memory, 12 * positions, positions)
  const width = commonWidth(histories)
  const contexts = width > 0 ? new Float32Array(positions * width) : undefined
  for (const [s, history] of histories.entries()) {
    for (let event = 0; event < history.items.length; event++) {
      const position = (event + start) * sequences + s
      rows[position] = history.items[event]! + 1
      rewards[position] = history.rewards[event]!
      times[position] = history.times[event]!
      const context = contexts && history.context?.subarray(event * width, (event + 1) * width)
      if (context) contexts.set(context, position * width)
    }
  }
  return {
    steps,
    sequences,
    rows,
    rewards,
    times,
    ...before(histories),
    ...(contexts && { contexts }),
  }
}

function before(histories: readonly History[]): Pick<SequenceBatch, 'timesBefore'> {
  if (histories.every(({ timeBefore }) => timeBefore === undefined)) return {}
  const timesBefore = histories.map(({ timeBefore = Number.NEGATIVE_INFINITY }) => timeBefore)
  return { timesBefore: Float64Array.from(timesBefore) }
}

/**
 * Returns the context values per event, which all histories with context share; 0 without context.
 */
function commonWidth(histories: readonly History[]): number {
  const widths = new Set(histories.flatMap((history) => contextWidth(history) ?? []))
  const [width = 0] = widths
  if (widths.size <= 1 && Number.isInteger(width)) return width
  throw shapeMismatch(
    `history: every event must have the same number of context values, got ${[...widths].join(' and ')}`,
  )
}

function contextWidth({ items, context }: History): number | undefined {
  return items.length === 0 || context === undefined ? undefined : context.length / items.length
}

/** Returns the events from `from` to before `to`, with the time of the event before them. */
export function sliceHistory(history: History, from: number, to: number): History {
  const { items, rewards, times, context, left } = history
  const timeBefore = from > 0 ? times[from - 1] : history.timeBefore
  const width = contextWidth(history) ?? 0
  return {
    items: items.subarray(from, to),
    rewards: rewards.subarray(from, to),
    times: times.subarray(from, to),
    ...(timeBefore !== undefined && { timeBefore }),
    ...(context && { context: context.subarray(from * width, to * width) }),
    ...(left && { left: leftBetween(left, from, to) }),
  }
}

/** Returns the items that the user left before one of the events from `from` to before `to`. */
function leftBetween({ after, items }: LeftItems, from: number, to: number): LeftItems {
  const indexOf = (moment: number): number => {
    const index = after.findIndex((other) => other >= moment)
    return index < 0 ? after.length : index
  }
  const [first, end] = [indexOf(from), indexOf(to)]
  const moments = after.subarray(first, end)
  return {
    after: from === 0 ? moments : moments.map((moment) => moment - from),
    items: items.subarray(first, end),
  }
}

/** Returns the last `count` events of a history. */
export function lastEvents(history: History, count: number): History {
  const { length } = history.items
  return sliceHistory(history, Math.max(0, length - count), length)
}

/** Rejects an item that is not in the catalog. */
export function requireKnownItems(items: Int32Array | readonly number[], itemCount: number): void {
  const at = items.findIndex((item) => !(Number.isInteger(item) && item >= 0 && item < itemCount))
  if (at < 0) return
  throw new RenError(
    'index-out-of-range',
    `history: event ${at} names item ${items[at]}, the catalog has ${itemCount}`,
  )
}

/** Requires one finite reward and time per item, finite context, and items of the catalog. */
export function requireHistory(history: History, itemCount: number): void {
  const { items } = history
  for (const name of ['rewards', 'times'] as const) {
    const values = history[name]
    if (values.length !== items.length) {
      throw shapeMismatch(
        `history: the number of ${name} must be ${items.length}, one per event, got ${values.length}`,
      )
    }
    requireFinite(name, values)
  }
  if (history.context) requireFinite('context', history.context)
  requireKnownItems(items, itemCount)
  if (history.left) requireLeft(history.left, items.length, itemCount)
}

function requireLeft({ after, items }: LeftItems, events: number, itemCount: number): void {
  if (after.length !== items.length) {
    throw shapeMismatch(
      `history: the number of moments must be ${items.length}, one per left item, got ${after.length}`,
    )
  }
  const at = after.findIndex((moment, i) => !(moment >= (after[i - 1] ?? 0) && moment <= events))
  if (at >= 0) {
    const message = `history: left.after must rise from 0 to at most ${events}, got ${after[at]} at ${at}`
    throw invalid(message)
  }
  requireKnownItems(items, itemCount)
}

function requireFinite(name: string, values: Float32Array | Float64Array): void {
  for (let at = 0; at < values.length; at++) {
    if (Number.isFinite(values[at])) continue
    throw new RenError(
      'non-finite-input',
      `history: ${name}[${at}] must be a finite number, got ${values[at]}`,
    )
  }
}
