// out = x + body(x), for a body as wide as its input.

import type { Tensor } from '../../kernels/index.ts'
import type { Layer, LayerContext } from './layer.ts'

export function residual({ engine, workspace }: LayerContext, body: Layer): Layer {
  function sum(name: string, x: Tensor, y: Tensor): Tensor {
    const out = workspace.matrix(name, x.rows, x.columns)
    out.values.set(x.values)
    engine.trusted.addScaled({ scale: 1, x: y, out })
    return out
  }
  return {
    parameters: body.parameters,
    forward: (x, pass) => sum('out', x, body.forward(x, pass)),
    backward: (dOut) => sum('dX', dOut, body.backward(dOut)),
  }
}
