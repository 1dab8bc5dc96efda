// A gated recurrent unit over a batch of sequences. The equations are in kernels/contract/layers.ts.

import type { Tensor } from '../../kernels/index.ts'
import { createParameter, uniform } from '../parameter.ts'
import type { Start } from '../parameter.ts'
import type { Layer, LayerContext } from './layer.ts'

export interface GruOptions {
  readonly inputs: number
  readonly hidden: number
  /**
   * `reset-after` is the cell of PyTorch, `reset-before` the original one. Defaults to
   * `reset-after`.
   */
  readonly cell?: 'reset-after' | 'reset-before'
  /** The initializer of all weights. Defaults to U(±1/√hidden), as in PyTorch. */
  readonly start?: Start
  /** The initializer of the biases. Defaults to `start`. */
  readonly startBias?: Start
}

export interface Gru extends Layer {
  /** Returns the states after one more input: x (n × inputs), state (n × hidden). */
  advance(x: Tensor, state: Tensor): Tensor
}

export function gru(context: LayerContext, options: GruOptions): Gru {
  const cell = createCell(context, options)
  const { inputWeights, recurrentWeights, inputBias, recurrentBias } = cell
  let last: Forward
  return {
    parameters: [inputWeights, recurrentWeights, inputBias, recurrentBias],
    forward(x, { batch: { steps, sequences }, state }) {
      last = runForward(context, cell, { x, steps, batch: sequences }, state ?? null)
      return last.out
    },
    advance: (x, state) => runForward(context, cell, { x, steps: 1, batch: x.rows }, state).out,
    backward: (dOut) => runBackward(context, cell, last, dOut),
  }
}

function createCell({ engine, name, random }: LayerContext, options: GruOptions) {
  const { inputs, hidden, start = uniform(random, 1 / Math.sqrt(hidden)) } = options
  const { startBias = start } = options
  const parameter = (part: string, rows: number, columns: number, from: Start) =>
    createParameter(engine, `${name}.${part}`, [rows, columns], from)
  return {
    inputs,
    hidden,
    resetBefore: options.cell === 'reset-before',
    inputWeights: parameter('inputWeights', 3 * hidden, inputs, start),
    recurrentWeights: parameter('recurrentWeights', 3 * hidden, hidden, start),
    inputBias: parameter('inputBias', 1, 3 * hidden, startBias),
    recurrentBias: parameter('recurrentBias', 1, 3 * hidden, startBias),
  }
}

type Cell = ReturnType<typeof createCell>

/** Time-major rows: `batch` sequences of `steps` steps. */
interface Inputs {
  readonly x: Tensor
  readonly steps: number
  readonly batch: number
}

/** The tensors of a forward pass that the backward pass reads. */
type Forward = ReturnType<typeof runForward>

function runForward(
  { engine, workspace }: LayerContext,
  { hidden, resetBefore, ...cell }: Cell,
  { x, steps, batch }: Inputs,
  startStates: Tensor | null,
) {
  const { multiply, addRow, gruForward } = engine.trusted
  const projected = workspace.matrix('inputs', x.rows, 3 * hidden)
  multiply({ a: x, b: cell.inputWeights.value, transposeB: true, out: projected })
  addRow({ row: cell.inputBias.value, out: projected })
  const states = workspace.matrix('states', (steps + 1) * batch, hidden)
  if (startStates === null) states.values.fill(0, 0, batch * hidden)
  else states.values.set(startStates.values)
  const gates = workspace.matrix('gates', x.rows, 4 * hidden)
  const [weights, bias] = [cell.recurrentWeights.value, cell.recurrentBias.value]
  gruForward({ resetBefore, steps, batch, inputs: projected, weights, bias, states, gates })
  return { x, steps, batch, states, gates, out: engine.part(states, batch, x.rows) }
}

function runBackward(
  { engine, workspace }: LayerContext,
  { inputs, hidden, resetBefore, inputWeights, inputBias, ...cell }: Cell,
  { x, steps, batch, states, gates }: Forward,
  dOut: Tensor,
): Tensor {
  const { multiply, sumRows, gruBackward } = engine.trusted
  const dStates = workspace.matrix('dStates', states.rows, hidden)
  dStates.values.fill(0, 0, batch * hidden)
  dStates.values.set(dOut.values, batch * hidden)
  // Reuses the memory of the projected inputs, which the backward pass does not read.
  const dInputs = workspace.matrix('inputs', x.rows, 3 * hidden)
  const dRecurrent = workspace.matrix('dRecurrent', x.rows, 3 * hidden)
  gruBackward({
    resetBefore,
    steps,
    batch,
    weights: cell.recurrentWeights.value,
    states,
    gates,
    dStates,
    dInputs,
    dRecurrent,
    dWeights: cell.recurrentWeights.gradient,
    dBias: cell.recurrentBias.gradient,
  })
  multiply({ a: dInputs, b: x, transposeA: true, accumulate: true, out: inputWeights.gradient })
  sumRows({ x: dInputs, out: inputBias.gradient })
  // Reuses the memory of dStates, which is no longer needed.
  const dX = workspace.matrix('dStates', x.rows, inputs)
  multiply({ a: dInputs, b: inputWeights.value, out: dX })
  return dX
}
