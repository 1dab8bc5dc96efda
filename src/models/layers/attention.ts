// A pre-norm transformer block:
// y = x + dropout(selfAttention(layerNorm(x))), out = y + feedForward(layerNorm(y)).

import { dense, dropout, layerNorm, relu, residual } from './feed-forward.ts'
import { inner, sequential, zeroMatrix } from './layer.ts'
import type { Layer, LayerContext } from './layer.ts'
import type { Tensor, IndexTensor } from '../../kernels/index.ts'
import { shapeMismatch } from '../../core/errors.ts'
import type { SequenceBatch } from '../batch.ts'
import { createParameter, normal } from '../parameter.ts'

interface AttentionBlockOptions extends SelfAttentionOptions {
  /** The dropout rate after attention and after each layer of the feed-forward part. */
  readonly dropout: number
}

export function attentionBlock(context: LayerContext, options: AttentionBlockOptions): Layer {
  return sequential([
    attentionPart(inner(context, 'attention'), options),
    feedForwardPart(inner(context, 'feedForward'), options),
  ])
}

export function attentionPart(context: LayerContext, options: AttentionBlockOptions): Layer {
  const body = sequential([
    layerNorm(inner(context, 'norm'), options.width),
    selfAttention(context, options),
    dropout(inner(context, 'dropout'), options.dropout),
  ])
  return residual(context, body)
}

export function feedForwardPart(
  context: LayerContext,
  { width, dropout: rate }: Pick<AttentionBlockOptions, 'width' | 'dropout'>,
): Layer {
  const square = { inputs: width, outputs: width }
  const body = sequential([
    layerNorm(inner(context, 'norm'), width),
    dense(inner(context, 'first'), square),
    relu(inner(context, 'relu')),
    dropout(inner(context, 'firstDropout'), rate),
    dense(inner(context, 'second'), square),
    dropout(inner(context, 'secondDropout'), rate),
  ])
  return residual(context, body)
}

// Causal self-attention: each position attends to itself and its past.
// out = attention(x·Wᵀ + b)·Oᵀ + o; the equations are in kernels/contract/layers.ts.

interface SelfAttentionOptions {
  readonly width: number
  /** Must divide the width. */
  readonly heads: number
}

function selfAttention(context: LayerContext, options: SelfAttentionOptions): Layer {
  const { width } = options
  return sequential([
    dense(inner(context, 'projection'), { inputs: width, outputs: 3 * width }),
    attend(context, options),
    dense(inner(context, 'output'), { inputs: width, outputs: width }),
  ])
}

/** Maps concatenated queries, keys and values (3·width) to the attended values (width). */
function attend(
  { engine, workspace }: LayerContext,
  { width, heads }: SelfAttentionOptions,
): Layer {
  const { attentionForward, attentionBackward } = engine.trusted
  let last: { qkv: Tensor; steps: number; batch: number; weights: Tensor }
  return {
    parameters: [],
    forward(qkv, pass) {
      const { steps, sequences: batch } = pass.batch
      const weights = workspace.matrix('weights', batch * heads * steps, steps)
      last = { qkv, steps, batch, weights }
      const out = workspace.matrix('attended', qkv.rows, width)
      attentionForward({ ...last, heads, out })
      return out
    },
    backward(dOut) {
      const dQkv = workspace.matrix('dQkv', dOut.rows, 3 * width)
      attentionBackward({ ...last, heads, dOut, dQkv })
      return dQkv
    },
  }
}

// Learned position embeddings, because attention itself ignores order: out = scale·x + P[step].
//
// Steps count from the start of the sequence in the batch. For a history longer than the window,
// they count from the first event within the window.

interface PositionsOptions {
  readonly width: number
  /** The maximum number of steps of a sequence. */
  readonly steps: number
  /** The factor on the input. */
  readonly scale: number
}

export function positions(
  { engine, name, random, workspace }: LayerContext,
  { width, steps, scale }: PositionsOptions,
): Layer {
  const table = createParameter(engine, `${name}.table`, [steps, width], normal(random, 0.02))
  const { gather, scatterAdd, addScaled } = engine.trusted
  let indices: IndexTensor

  return {
    parameters: [table],
    forward(x, { batch }) {
      requireSteps(batch, steps)
      indices = workspace.indices('steps', stepOfEach(batch))
      const out = workspace.matrix('out', x.rows, width)
      gather({ table: table.value, indices, out })
      addScaled({ scale, x, out })
      return out
    },
    backward(dOut) {
      scatterAdd({ source: dOut, indices, table: table.gradient })
      const dX = zeroMatrix(workspace, 'dX', dOut.rows, width)
      addScaled({ scale, x: dOut, out: dX })
      return dX
    },
  }
}

function stepOfEach({ steps, sequences }: SequenceBatch): Int32Array {
  const stepAt = new Int32Array(steps * sequences)
  for (let t = 0; t < steps; t++) stepAt.fill(t, t * sequences, (t + 1) * sequences)
  return stepAt
}

function requireSteps(batch: SequenceBatch, steps: number): void {
  if (batch.steps <= steps) return
  throw shapeMismatch(`positions: a sequence must have at most ${steps} steps, got ${batch.steps}`)
}
