// out = max(x, 0).

import type { Tensor } from '../../kernels/index.ts'
import type { Layer, LayerContext } from './layer.ts'

export function relu({ engine, workspace }: LayerContext): Layer {
  let out: Tensor
  return {
    parameters: [],
    forward(x) {
      out = workspace.matrix('out', x.rows, x.columns)
      engine.trusted.relu({ x, out })
      return out
    },
    backward(dOut) {
      const dX = workspace.matrix('dX', dOut.rows, dOut.columns)
      engine.trusted.reluBackward({ y: out, dOutput: dOut, dInput: dX })
      return dX
    },
  }
}
