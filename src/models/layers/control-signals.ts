// Adds signals about the event to each embedded item:
//
//   x'_t = x_t + E_start[does t open a session?] + E_gap[bucket of t's gap] + w_reward·reward_t
//          + Wᵀ·context_t
//
// The gap is the time since the previous event. All terms are one product x' = x + S·E, with a row
// of S (positions × signals) per event and a row of E (signals × width) per signal. The rows of S
// are zero at the start vector and in the padding.

import { shapeMismatch } from '../../core/errors.ts'
import type { Tensor } from '../../kernels/index.ts'
import type { SequenceBatch } from '../batch.ts'
import { createParameter, normal } from '../parameter.ts'
import { zeroMatrix } from './layer.ts'
import type { Layer, LayerContext } from './layer.ts'

export interface ControlSignalOptions {
  readonly width: number
  /** The minimum time between two events, in milliseconds, that starts a new session. */
  readonly sessionGap: number
  /** Context values per event. Missing context counts as zeros. */
  readonly contextWidth: number
}

// The bounds of the gap buckets are the session gap times powers of four: for one hour, from one
// second to two years. The first event has an infinite gap, which has its own bucket.
const bounds = [...Array.from({ length: 14 }, (_, i) => 4 ** (i - 6)), Number.POSITIVE_INFINITY]

// Columns of S: two for sessions, the gap buckets, the reward, and the context.
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
      signals = zeroMatrix(workspace, 'signals', x.rows, signalCount)
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
  throw shapeMismatch(`hrnn: an event must have ${contextWidth} context values, got ${width}`)
}

/** Returns the time of the event before this position, or −∞ if there is none. */
function timeBefore(
  { rows, times, timesBefore, sequences }: SequenceBatch,
  position: number,
): number {
  const before = position - sequences
  if (before >= 0 && rows[before] !== 0) return times[before]!
  return timesBefore?.[position % sequences] ?? Number.NEGATIVE_INFINITY
}

/** Returns the number of bounds that the gap, in units of the session gap, reaches. */
function bucketOf(gap: number): number {
  let bucket = 0
  while (bucket < bounds.length && gap >= bounds[bucket]!) bucket += 1
  return bucket
}
