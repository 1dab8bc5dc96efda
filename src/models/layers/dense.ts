// out = x·Wᵀ + b at every position.

import type { Tensor } from '../../kernels/index.ts'
import { createParameter, uniform, zeros } from '../parameter.ts'
import type { Start } from '../parameter.ts'
import type { Layer, LayerContext } from './layer.ts'

export interface DenseOptions {
  readonly inputs: number
  readonly outputs: number
  /** How the weights start; PyTorch's U(±1/√inputs) by default. */
  readonly start?: Start
}

export function dense(
  { engine, name, random, workspace }: LayerContext,
  options: DenseOptions,
): Layer {
  const { inputs, outputs } = options
  const start = options.start ?? uniform(random, 1 / Math.sqrt(inputs))
  const weights = createParameter(engine, `${name}.weights`, [outputs, inputs], start)
  const bias = createParameter(engine, `${name}.bias`, [1, outputs], zeros)
  const { multiply, addRow, sumRows } = engine.trusted
  let input: Tensor

  return {
    parameters: [weights, bias],
    forward(x) {
      input = x
      const out = workspace.matrix('out', x.rows, outputs)
      multiply({ a: x, b: weights.value, transposeB: true, out })
      addRow({ row: bias.value, out })
      return out
    },
    backward(dOut) {
      multiply({ a: dOut, b: input, transposeA: true, accumulate: true, out: weights.gradient })
      sumRows({ x: dOut, out: bias.gradient })
      const dX = workspace.matrix('dX', input.rows, inputs)
      multiply({ a: dOut, b: weights.value, out: dX })
      return dX
    },
  }
}
