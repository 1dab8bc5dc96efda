// Causal self-attention: each position reads itself and its past, weighted by how well its query
// fits their keys. out = attention(x·Wᵀ + b)·Oᵀ + o, equations in kernels/contract/layers.ts.

import type { Tensor } from '../../kernels/index.ts'
import { dense } from './dense.ts'
import { inner, sequential } from './layer.ts'
import type { Layer, LayerContext } from './layer.ts'

export interface SelfAttentionOptions {
  readonly width: number
  /** Parts of the width that attend each on their own. */
  readonly heads: number
}

export function selfAttention(context: LayerContext, options: SelfAttentionOptions): Layer {
  const { width } = options
  return sequential([
    dense(inner(context, 'projection'), { inputs: width, outputs: 3 * width }),
    attend(context, options),
    dense(inner(context, 'output'), { inputs: width, outputs: width }),
  ])
}

/** From queries, keys and values side by side (3·width) to what was read. */
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
      const scratch = workspace.matrix('dWeights', last.steps, last.steps)
      attentionBackward({ ...last, heads, dOut, scratch, dQkv })
      return dQkv
    },
  }
}
