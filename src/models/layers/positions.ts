// out = scale·x + the learned vector of the step: attention by itself does not know order.
//
// Steps count from the first of the batch's sequences, which are padded at the end. Of a history
// longer than the window only the last events are in the batch, so they count from 0 too.

import { RenError } from '../../core/errors.ts'
import type { IndexTensor } from '../../kernels/index.ts'
import type { SequenceBatch } from '../batch.ts'
import { createParameter, normal } from '../parameter.ts'
import type { Start } from '../parameter.ts'
import type { Layer, LayerContext } from './layer.ts'

export interface PositionsOptions {
  readonly width: number
  /** The most steps of a sequence. */
  readonly steps: number
  /** What the input is multiplied by; 1 by default. */
  readonly scale?: number
  /** How the vectors start; N(0, 0.02²) by default. */
  readonly start?: Start
}

export function positions(
  { engine, name, random, workspace }: LayerContext,
  { width, steps, scale = 1, start = normal(random, 0.02) }: PositionsOptions,
): Layer {
  const table = createParameter(engine, `${name}.table`, [steps, width], start)
  const { gather, scatterAdd, addScaled } = engine.trusted
  let indices: IndexTensor

  return {
    parameters: [table],
    forward(x, { batch }) {
      requireRoom(batch, steps)
      indices = workspace.indices('steps', stepOfEach(batch))
      const out = workspace.matrix('out', x.rows, width)
      gather({ table: table.value, indices, out })
      addScaled({ scale, x, out })
      return out
    },
    backward(dOut) {
      scatterAdd({ source: dOut, indices, table: table.gradient })
      const dX = workspace.matrix('dX', dOut.rows, width)
      dX.values.fill(0)
      addScaled({ scale, x: dOut, out: dX })
      return dX
    },
  }
}

function stepOfEach({ steps, sequences }: SequenceBatch): Int32Array {
  const stepAt = new Int32Array(steps * sequences)
  for (let t = 0; t < steps; t++) stepAt.fill(t, t * sequences, (t + 1) * sequences)
  return stepAt
}

function requireRoom(batch: SequenceBatch, steps: number): void {
  if (batch.steps <= steps) return
  throw new RenError(
    'shape-mismatch',
    `positions: a sequence has at most ${steps} steps, got a batch of ${batch.steps}`,
  )
}
