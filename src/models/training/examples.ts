// Turns histories into training batches: each event is predicted from the events before it.

import type { Random } from '../../core/random.ts'
import { positiveInteger, requireSettings } from '../../core/settings.ts'
import { createBatch, sliceHistory } from '../batch.ts'
import type { History } from '../batch.ts'
import type { Architecture } from '../sequence-model.ts'
import type { Example } from './trainer.ts'

/** Histories longer than the window are cut into pieces. */
export interface ExampleOptions extends Pick<Architecture, 'window' | 'withStart'> {
  /** Sequences per batch. */
  readonly batchSize: number
}

export const batchSize = positiveInteger('Sequences per step')
const exampleSettings = { window: positiveInteger('Events per sequence'), batchSize }

// Sorts by length within runs of this many batches. This limits padding, and the composition of the
// batches still changes from epoch to epoch.
const SORTED_RUN = 16

/** Returns the batches of one epoch in random order, each with sequences of similar length. */
export function createEpoch(
  histories: readonly History[],
  options: ExampleOptions,
  random: Random,
): readonly (readonly History[])[] {
  requireSettings('training', exampleSettings, options)
  const pieces = histories.flatMap((history) => cut(history, options))
  random.shuffle(pieces)
  const run = SORTED_RUN * options.batchSize
  const batches: (readonly History[])[] = []
  for (let from = 0; from < pieces.length; from += run) {
    const sorted = pieces
      .slice(from, from + run)
      .toSorted((a, b) => a.items.length - b.items.length)
    for (let at = 0; at < sorted.length; at += options.batchSize) {
      batches.push(sorted.slice(at, at + options.batchSize))
    }
  }
  random.shuffle(batches)
  return batches
}

/** Cuts a history into pieces, from its end. Drops a piece that is too short for a prediction. */
function cut(history: History, { window, withStart }: ExampleOptions): History[] {
  const pieces: History[] = []
  const shortest = withStart ? 1 : 2
  // The last event is only a target, so that the model trains on a full window. Without a start
  // vector, the first event is only an input, so consecutive pieces share one event.
  const length = window + 1
  const stride = withStart ? length : window
  for (let to = history.items.length; to >= shortest; to -= stride) {
    pieces.push(sliceHistory(history, Math.max(0, to - length), to))
  }
  return pieces
}

/**
 * Creates an example with each event as the target of the position before it, and with the items
 * that users left before it.
 */
export function nextItemExample(pieces: readonly History[], withStart: boolean): Example {
  const inputs = pieces.map((piece) => sliceHistory(piece, 0, Math.max(0, piece.items.length - 1)))
  const batch = createBatch(inputs, withStart)
  const skipped = withStart ? 0 : 1 // without a start vector, the first event cannot be predicted
  const count = pieces.reduce((sum, { items }) => sum + items.length - skipped, 0)
  const targets = {
    rows: new Int32Array(count),
    items: new Int32Array(count),
    rewards: new Float32Array(count),
  }
  const left: { targets: number[]; items: number[] } = { targets: [], items: [] }
  let at = 0
  for (const [s, piece] of pieces.entries()) {
    const { items, rewards } = piece
    addLeft(left, piece, at - skipped, skipped)
    for (let event = skipped; event < items.length; event++, at++) {
      targets.rows[at] = (event - skipped) * batch.sequences + s
      targets.items[at] = items[event]!
      targets.rewards[at] = rewards[event]!
    }
  }
  if (left.items.length === 0) return { batch, targets }
  const { targets: of, items } = left
  return {
    batch,
    targets: { ...targets, left: { targets: Int32Array.from(of), items: Int32Array.from(items) } },
  }
}

/**
 * Adds the items that a user left before an event, except the item of that event.
 *
 * @param first The target that event 0 has, or would have.
 */
function addLeft(
  all: { readonly targets: number[]; readonly items: number[] },
  { items, left }: History,
  first: number,
  skipped: number,
): void {
  if (left === undefined) return
  for (const [i, event] of left.after.entries()) {
    const item = left.items[i]!
    if (event < skipped || event >= items.length || items[event] === item) continue
    all.targets.push(first + event)
    all.items.push(item)
  }
}
