// out = gain∘(x − mean)/√(variance + ε) + bias, mean and variance over each position's values.

import type { Tensor } from '../../kernels/index.ts'
import { createParameter, ones, zeros } from '../parameter.ts'
import type { Layer, LayerContext } from './layer.ts'

const EPSILON = 1e-5

export function layerNorm({ engine, name, workspace }: LayerContext, width: number): Layer {
  const gain = createParameter(engine, `${name}.gain`, [1, width], ones)
  const bias = createParameter(engine, `${name}.bias`, [1, width], zeros)
  const { layerNormForward, layerNormBackward } = engine.trusted
  let last: { x: Tensor; statistics: Tensor }

  return {
    parameters: [gain, bias],
    forward(x) {
      const out = workspace.matrix('out', x.rows, width)
      const statistics = workspace.matrix('statistics', x.rows, 2)
      last = { x, statistics }
      const [g, b] = [gain.value, bias.value]
      layerNormForward({ epsilon: EPSILON, x, gain: g, bias: b, out, statistics })
      return out
    },
    backward(dOut) {
      const dX = workspace.matrix('dX', dOut.rows, width)
      dX.values.fill(0)
      const [dGain, dBias] = [gain.gradient, bias.gradient]
      layerNormBackward({ ...last, gain: gain.value, dOut, dX, dGain, dBias })
      return dX
    },
  }
}
