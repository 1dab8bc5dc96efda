// Drops each value with probability `rate` while training and scales up the rest.

import type { Tensor } from '../../kernels/index.ts'
import type { Layer, LayerContext } from './layer.ts'

export function dropout(
  { engine, workspace }: Pick<LayerContext, 'engine' | 'workspace'>,
  rate: number,
): Layer {
  const { dropoutMask, multiplyElements } = engine.trusted
  let mask: Tensor | null = null
  return {
    parameters: [],
    forward(x, { random }) {
      mask = null
      if (random === null || rate === 0) return x
      mask = workspace.matrix('mask', x.rows, x.columns)
      dropoutMask({ rate, seed: random.integer(2 ** 32), mask })
      const out = workspace.matrix('out', x.rows, x.columns)
      multiplyElements({ x, y: mask, out })
      return out
    },
    backward(dOut) {
      if (mask === null) return dOut
      const dX = workspace.matrix('dX', dOut.rows, dOut.columns)
      multiplyElements({ x: dOut, y: mask, out: dX })
      return dX
    },
  }
}
