// A block of a transformer that normalises before each part:
// y = x + dropout(selfAttention(layerNorm(x))), out = y + feedForward(layerNorm(y)).

import { dense } from './dense.ts'
import { dropout } from './dropout.ts'
import { layerNorm } from './layer-norm.ts'
import { inner, sequential } from './layer.ts'
import type { Layer, LayerContext } from './layer.ts'
import { relu } from './relu.ts'
import { residual } from './residual.ts'
import { selfAttention } from './self-attention.ts'
import type { SelfAttentionOptions } from './self-attention.ts'

export interface AttentionBlockOptions extends SelfAttentionOptions {
  /** The rate of dropout after the attention and after each layer of the feed-forward part. */
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
