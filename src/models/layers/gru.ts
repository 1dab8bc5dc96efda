// A gated recurrent unit over the whole batch; equations in kernels/contract/layers.ts.

import type { Tensor } from '../../kernels/index.ts'
import { createParameter, uniform } from '../parameter.ts'
import type { Start } from '../parameter.ts'
import type { Layer, LayerContext, Pass } from './layer.ts'

export interface GruOptions {
  readonly inputs: number
  readonly hidden: number
  /** `reset-after` is PyTorch's cell, `reset-before` the original one. */
  readonly cell?: 'reset-after' | 'reset-before'
  /** How all weights start; PyTorch's U(±1/√hidden) by default. */
  readonly start?: Start
  /** How the biases start, where not like the weights. */
  readonly startBias?: Start
}

export interface Gru extends Layer {
  readonly hidden: number
  /** The state after one more input, for each row: x (n × inputs), state (n × hidden). */
  advance(x: Tensor, state: Tensor): Tensor
}

export function gru({ engine, name, random, workspace }: LayerContext, options: GruOptions): Gru {
  const { inputs, hidden } = options
  const resetBefore = options.cell === 'reset-before'
  const start = options.start ?? uniform(random, 1 / Math.sqrt(hidden))
  const startBias = options.startBias ?? start
  const parameter = (part: string, rows: number, columns: number, from: Start) =>
    createParameter(engine, `${name}.${part}`, [rows, columns], from)
  const inputWeights = parameter('inputWeights', 3 * hidden, inputs, start)
  const recurrentWeights = parameter('recurrentWeights', 3 * hidden, hidden, start)
  const inputBias = parameter('inputBias', 1, 3 * hidden, startBias)
  const recurrentBias = parameter('recurrentBias', 1, 3 * hidden, startBias)
  const { multiply, addRow, sumRows, gruForward, gruBackward } = engine.trusted
  let last: { x: Tensor; pass: Pass; states: Tensor; gates: Tensor }

  function run(x: Tensor, steps: number, batch: number, startStates: Tensor | null) {
    const projected = workspace.matrix('inputs', x.rows, 3 * hidden)
    multiply({ a: x, b: inputWeights.value, transposeB: true, out: projected })
    addRow({ row: inputBias.value, out: projected })
    const states = workspace.matrix('states', (steps + 1) * batch, hidden)
    if (startStates === null) states.values.fill(0, 0, batch * hidden)
    else states.values.set(startStates.values)
    const gates = workspace.matrix('gates', x.rows, 4 * hidden)
    const [weights, bias] = [recurrentWeights.value, recurrentBias.value]
    gruForward({ resetBefore, steps, batch, inputs: projected, weights, bias, states, gates })
    return { states, gates, out: engine.part(states, batch, x.rows) }
  }

  return {
    hidden,
    parameters: [inputWeights, recurrentWeights, inputBias, recurrentBias],
    forward(x, pass) {
      const { states, gates, out } = run(
        x,
        pass.batch.steps,
        pass.batch.sequences,
        pass.state ?? null,
      )
      last = { x, pass, states, gates }
      return out
    },
    advance: (x, state) => run(x, 1, x.rows, state).out,
    backward(dOut) {
      const { x, pass, states, gates } = last
      const { steps, sequences: batch } = pass.batch
      const dStates = workspace.matrix('dStates', states.rows, hidden)
      dStates.values.fill(0, 0, batch * hidden)
      dStates.values.set(dOut.values, batch * hidden)
      // Where the inputs were, which the backward pass does not read.
      const dInputs = workspace.matrix('inputs', x.rows, 3 * hidden)
      const dRecurrent = workspace.matrix('dRecurrent', x.rows, 3 * hidden)
      gruBackward({
        resetBefore,
        steps,
        batch,
        weights: recurrentWeights.value,
        states,
        gates,
        dStates,
        dInputs,
        dRecurrent,
        dWeights: recurrentWeights.gradient,
        dBias: recurrentBias.gradient,
      })
      multiply({ a: dInputs, b: x, transposeA: true, accumulate: true, out: inputWeights.gradient })
      sumRows({ x: dInputs, out: inputBias.gradient })
      // Where dStates were, which have been used up.
      const dX = workspace.matrix('dStates', x.rows, inputs)
      multiply({ a: dInputs, b: inputWeights.value, out: dX })
      return dX
    },
  }
}
