// Adds to each embedded item what else is known about its event:
//
//   x'_t = x_t + E_start[does t open a session?] + E_gap[bucket of t's gap] + w_reward·reward_t
//          + Wᵀ·context_t
//
// The gap is the time since the event before. All four are one product x' = x + S·E, with a row of
// S (positions × signals) for each event and a row of E (signals × width) for each signal. The
// start of a sequence and its padding are no events: their rows of S are zero.

import { RenError } from '../../core/errors.ts'
import type { Tensor } from '../../kernels/index.ts'
import type { SequenceBatch } from '../batch.ts'
import { createParameter, normal } from '../parameter.ts'
import type { Layer, LayerContext } from './layer.ts'

export interface ControlSignalOptions {
  readonly width: number
  /** An event opens a session where at least this much time has gone by since the one before. */
  readonly sessionGap: number
  /** Values of context an event; an event without any counts as zeros. */
  readonly contextWidth: number
}

// Buckets of gaps are bounded by the session gap times powers of four: for an hour, from a second
// to two years. The first event of all comes after an infinite gap, which has a bucket of its own.
const bounds = [...Array.from({ length: 14 }, (_, i) => 4 ** (i - 6)), Number.POSITIVE_INFINITY]

// Columns of S. The gap buckets stand between the two answers about sessions and the reward;
// the context comes last.
const withinSession = 0
const opensSession = 1
const firstBucket = 2
const rewardSignal = firstBucket + bounds.length + 1
const firstContext = rewardSignal + 1

export function controlSignals(
  { engine, name, random, workspace }: LayerContext,
  options: ControlSignalOptions,
): Layer {
  const { width, contextWidth } = options
  const signalCount = firstContext + contextWidth
  const shape = [signalCount, width] as const
  const embeddings = createParameter(engine, `${name}.embeddings`, shape, normal(random, 0.1))
  const { multiply } = engine.trusted
  let signals: Tensor

  return {
    parameters: [embeddings],
    forward(x, { batch }) {
      signals = workspace.matrix('signals', x.rows, signalCount)
      signals.values.fill(0)
      writeSignals(batch, options, signals)
      const out = workspace.matrix('out', x.rows, width)
      out.values.set(x.values)
      multiply({ a: signals, b: embeddings.value, accumulate: true, out })
      return out
    },
    backward(dOut) {
      const out = embeddings.gradient
      multiply({ a: signals, b: dOut, transposeA: true, accumulate: true, out })
      return dOut
    },
  }
}

function writeSignals(
  batch: SequenceBatch,
  { sessionGap, contextWidth }: ControlSignalOptions,
  { values: signals, columns }: Tensor,
): void {
  const contexts = contextWidth === 0 ? undefined : batch.contexts
  if (contexts !== undefined) requireWidth(contexts.length / batch.rows.length, contextWidth)
  for (const [position, row] of batch.rows.entries()) {
    if (row === 0) continue
    const gap = (batch.times[position]! - timeBefore(batch, position)) / sessionGap
    const at = position * columns
    signals[at + (gap < 1 ? withinSession : opensSession)] = 1
    signals[at + firstBucket + bucketOf(gap)] = 1
    signals[at + rewardSignal] = batch.rewards[position]!
    const first = position * contextWidth
    if (contexts) signals.set(contexts.subarray(first, first + contextWidth), at + firstContext)
  }
}

function requireWidth(width: number, contextWidth: number): void {
  if (width === contextWidth) return
  throw new RenError(
    'shape-mismatch',
    `hrnn: expected ${contextWidth} values of context for each event, got ${width}`,
  )
}

/** When the event before this position was; −∞ where there was none. */
function timeBefore(
  { rows, times, timesBefore, sequences }: SequenceBatch,
  position: number,
): number {
  const before = position - sequences
  if (before >= 0 && rows[before] !== 0) return times[before]!
  return timesBefore?.[position % sequences] ?? Number.NEGATIVE_INFINITY
}

/** How many bounds the gap, in session gaps, has reached. */
function bucketOf(gap: number): number {
  let bucket = 0
  while (bucket < bounds.length && gap >= bounds[bucket]!) bucket += 1
  return bucket
}
