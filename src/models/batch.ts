// A batch of sequences side by side, as the layers see it.
//
// Time-major: position t·sequences + s is step t of sequence s. Shorter sequences are padded at the
// end; since every layer is causal, what stands there never reaches a real position, and no loss
// looks at it.

import { RenError } from '../core/errors.ts'

/** The events of one user, oldest first: the input of a model. */
export interface History {
  readonly items: Int32Array
  readonly rewards: Float32Array
  /** Milliseconds since 1970, or any clock that only goes forward. */
  readonly times: Float64Array
  /** When the event before the first one was, in the end of a longer history; else absent. */
  readonly timeBefore?: number
  /** What else is known of each event (events × c, row by row), for models that read it. */
  readonly context?: Float32Array
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
   * When the event before the first of each sequence was, −∞ where there was none; absent where
   * every sequence is whole.
   */
  readonly timesBefore?: Float64Array
  /** Context of the event at each position (positions × c), 0 elsewhere; absent where none has any. */
  readonly contexts?: Float32Array
}

/** Lays histories out side by side, each opened by the start vector where the model has one. */
export function createBatch(histories: readonly History[], withStart: boolean): SequenceBatch {
  const sequences = histories.length
  const start = withStart ? 1 : 0
  const steps = Math.max(1, ...histories.map(({ items }) => items.length + start))
  const positions = steps * sequences
  // One buffer: for a single history a buffer costs more than its values.
  const memory = new ArrayBuffer(16 * positions)
  const times = new Float64Array(memory, 0, positions)
  const rows = new Int32Array(memory, 8 * positions, positions)
  const rewards = new Float32Array(memory, 12 * positions, positions)
  for (const [s, history] of histories.entries()) {
    for (let event = 0; event < history.items.length; event++) {
      const position = (event + start) * sequences + s
      rows[position] = history.items[event]! + 1
      rewards[position] = history.rewards[event]!
      times[position] = history.times[event]!
    }
  }
  const width = commonWidth(histories)
  return {
    steps,
    sequences,
    rows,
    rewards,
    times,
    ...before(histories),
    ...(width && { contexts: contextsOf(histories, steps, start, width) }),
  }
}

function contextsOf(
  histories: readonly History[],
  steps: number,
  start: number,
  width: number,
): Float32Array {
  const sequences = histories.length
  const contexts = new Float32Array(steps * sequences * width)
  for (const [s, { items, context }] of histories.entries()) {
    if (context === undefined) continue
    for (let event = 0; event < items.length; event++) {
      const values = context.subarray(event * width, (event + 1) * width)
      contexts.set(values, ((event + start) * sequences + s) * width)
    }
  }
  return contexts
}

function before(histories: readonly History[]): Pick<SequenceBatch, 'timesBefore'> {
  if (histories.every(({ timeBefore }) => timeBefore === undefined)) return {}
  const timesBefore = histories.map(({ timeBefore = Number.NEGATIVE_INFINITY }) => timeBefore)
  return { timesBefore: Float64Array.from(timesBefore) }
}

/** Values of context an event, the same in all histories that have any; 0 where none has. */
function commonWidth(histories: readonly History[]): number {
  const widths = new Set(histories.flatMap((history) => contextWidth(history) ?? []))
  const [width = 0] = widths
  if (widths.size <= 1 && Number.isInteger(width)) return width
  throw new RenError(
    'shape-mismatch',
    `history: expected as many values of context for every event, got ${[...widths].join(' and ')}`,
  )
}

function contextWidth({ items, context }: History): number | undefined {
  return items.length === 0 || context === undefined ? undefined : context.length / items.length
}

/** The events `from` to `to` (excluded) of a history, which know when the one before them was. */
export function sliceHistory(history: History, from: number, to: number): History {
  const { items, rewards, times, context } = history
  const timeBefore = from > 0 ? times[from - 1] : history.timeBefore
  const width = contextWidth(history) ?? 0
  return {
    items: items.subarray(from, to),
    rewards: rewards.subarray(from, to),
    times: times.subarray(from, to),
    ...(timeBefore !== undefined && { timeBefore }),
    ...(context && { context: context.subarray(from * width, to * width) }),
  }
}

/** The last `count` events of a history. */
export function lastEvents(history: History, count: number): History {
  const { length } = history.items
  return sliceHistory(history, Math.max(0, length - count), length)
}

/** Refuses a history with an item outside the catalog. */
export function requireKnownItems(items: Int32Array | readonly number[], itemCount: number): void {
  const at = items.findIndex((item) => !(Number.isInteger(item) && item >= 0 && item < itemCount))
  if (at < 0) return
  throw new RenError(
    'index-out-of-range',
    `history: event ${at} names item ${items[at]}, the catalog has ${itemCount}`,
  )
}

// What a history must be before a model reads it.

/** As many rewards and times as items, all finite, and only items of the catalog. */
export function requireHistory(history: History, itemCount: number): void {
  const { items } = history
  for (const name of ['rewards', 'times'] as const) {
    const values = history[name]
    if (values.length !== items.length) {
      throw new RenError(
        'shape-mismatch',
        `history: expected ${items.length} ${name}, one an event, got ${values.length}`,
      )
    }
    requireFinite(name, values)
  }
  if (history.context) requireFinite('context', history.context)
  requireKnownItems(items, itemCount)
}

function requireFinite(name: string, values: Float32Array | Float64Array): void {
  for (let at = 0; at < values.length; at++) {
    if (Number.isFinite(values[at])) continue
    throw new RenError(
      'non-finite-input',
      `history: ${name}[${at}] is ${values[at]}, expected a finite number`,
    )
  }
}
