// out[t] = bias + Σ_j W_j x[t − (taps−1−j)·dilation]: each position sees itself and its past.

import type { Tensor } from '../../kernels/index.ts'
import { createParameter, uniform, zeros } from '../parameter.ts'
import type { Layer, LayerContext } from './layer.ts'

export interface ConvolutionOptions {
  /** Width of input and output. */
  readonly width: number
  /** How many positions each output looks at. */
  readonly taps: number
  /** Steps from one of them to the next. */
  readonly dilation: number
}

export function causalConvolution(
  { engine, name, random, workspace }: LayerContext,
  { width, taps, dilation }: ConvolutionOptions,
): Layer {
  const start = uniform(random, 1 / Math.sqrt(taps * width)) // as in PyTorch
  const weights = createParameter(engine, `${name}.weights`, [taps * width, width], start)
  const bias = createParameter(engine, `${name}.bias`, [1, width], zeros)
  const { convolutionForward, convolutionBackward } = engine.trusted
  let last: { x: Tensor; steps: number; batch: number }

  return {
    parameters: [weights, bias],
    forward(x, pass) {
      last = { x, steps: pass.batch.steps, batch: pass.batch.sequences }
      const out = workspace.matrix('out', x.rows, width)
      const [w, b] = [weights.value, bias.value]
      convolutionForward({ ...last, taps, dilation, weights: w, bias: b, out })
      return out
    },
    backward(dOut) {
      const dX = workspace.matrix('dX', dOut.rows, width)
      dX.values.fill(0)
      const gradients = { dX, dWeights: weights.gradient, dBias: bias.gradient }
      convolutionBackward({ ...last, taps, dilation, weights: weights.value, dOut, ...gradients })
      return dX
    },
  }
}
