// A level of a temporal convolutional network (Bai, Kolter and Koltun):
// out = relu(x + f(f(x))) with f = dropout ∘ relu ∘ causal convolution.

import { causalConvolution } from './causal-convolution.ts'
import type { ConvolutionOptions } from './causal-convolution.ts'
import { dropout } from './dropout.ts'
import { inner, sequential } from './layer.ts'
import type { Layer, LayerContext } from './layer.ts'
import { relu } from './relu.ts'
import { residual } from './residual.ts'

export interface ConvolutionBlockOptions extends ConvolutionOptions {
  /** The rate of dropout after each convolution. */
  readonly dropout: number
}

export function convolutionBlock(context: LayerContext, options: ConvolutionBlockOptions): Layer {
  const half = (name: string): Layer => {
    const part = inner(context, name)
    return sequential([
      causalConvolution(part, options),
      relu(inner(part, 'relu')),
      dropout(inner(part, 'dropout'), options.dropout),
    ])
  }
  const body = sequential([half('first'), half('second')])
  return sequential([residual(context, body), relu(inner(context, 'relu'))])
}
