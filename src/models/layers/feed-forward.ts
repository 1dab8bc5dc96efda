// Dense, ReLU, dropout, layer norm and residual layers. Each applies to every position separately.

import type { Tensor } from '../../kernels/index.ts'
import { createParameter, uniform, zeros, ones } from '../parameter.ts'
import type { Start } from '../parameter.ts'
import { zeroMatrix } from './layer.ts'
import type { Layer, LayerContext } from './layer.ts'

interface DenseOptions {
  readonly inputs: number
  readonly outputs: number
  /** The initializer of the weights. Defaults to U(±1/√inputs), as in PyTorch. */
  readonly start?: Start
}

/** out = x·Wᵀ + b. */
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

/** out = max(x, 0). */
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

/**
 * During training, zeroes each value with probability `rate` and scales the others by 1/(1 − rate).
 */
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

const EPSILON = 1e-5

/**
 * out = gain∘(x − mean)/√(variance + ε) + bias, with mean and variance over the values of a
 * position.
 */
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
      const dX = zeroMatrix(workspace, 'dX', dOut.rows, width)
      const [dGain, dBias] = [gain.gradient, bias.gradient]
      layerNormBackward({ ...last, gain: gain.value, dOut, dX, dGain, dBias })
      return dX
    },
  }
}

/** out = x + body(x), for a body whose output is as wide as its input. */
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
