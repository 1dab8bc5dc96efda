// The state of one user in a recurrent network. An update needs the state and the new event, not the
// history, so it costs O(d²). It holds plain arrays and no engine memory, so that a service can hold
// one state per user.

import { RenError } from '../core/errors.ts'
import { createBatch, sliceHistory, requireHistory } from './batch.ts'
import type { History, SequenceBatch } from './batch.ts'
import type { Recurrence, SequenceModel } from './sequence-model.ts'

/**
 * The state of a recurrent model for one user. It updates the user embedding in O(d²) per event.
 */
export interface OnlineState {
  /** False after the model's weights have changed; the state is then invalid. */
  readonly current: boolean
  /** Applies one more event, with its context if the model reads context. */
  advance(item: number, reward: number, time: number, context?: Float32Array): void
  /** Writes θ after all events so far to `out` (d values). */
  theta(out: Float32Array): void
}

/**
 * Creates the state after a history. θ equals the model's `userEmbedding` while all events fit its
 * window; afterwards the state also depends on earlier events.
 */
export function createOnlineState(
  model: SequenceModel,
  recurrence: Recurrence,
  history: History,
): OnlineState {
  const { version } = model
  const { theta, step } = createSteps(model, recurrence)
  let timeBefore = history.times.at(-1) ?? history.timeBefore

  if (model.architecture.withStart) step(createBatch([sliceHistory(history, 0, 0)], true))
  for (const event of history.items.keys()) {
    step(createBatch([sliceHistory(history, event, event + 1)], false))
  }

  return {
    get current() {
      return model.version === version
    },
    advance(item, reward, time, context) {
      requireCurrent(model, version)
      const event = {
        items: Int32Array.of(item),
        rewards: Float32Array.of(reward),
        times: Float64Array.of(time),
        ...(timeBefore !== undefined && { timeBefore }),
        ...(context && { context }),
      }
      requireHistory(event, model.itemCount)
      step(createBatch([event], false))
      timeBefore = time
    },
    theta(out) {
      requireCurrent(model, version)
      out.set(theta)
    },
  }
}

function requireCurrent(model: SequenceModel, version: number): void {
  if (model.version === version) return
  throw new RenError(
    'stale-state',
    `the model has been trained since this state was opened (weights ${version}, now ` +
      `${model.version}): open it again from the history`,
  )
}

/** The state of the network, initially zero, and θ. `step` applies a batch of one position. */
function createSteps(model: SequenceModel, recurrence: Recurrence) {
  const { dimension } = model
  const workspace = model.workspace.within('online')
  const state = new Float32Array(recurrence.stateWidth)
  const theta = new Float32Array(dimension)
  return {
    theta,
    step(batch: SequenceBatch): void {
      const x = workspace.matrix('x', 1, dimension)
      const table = model.table.parameter.value.values
      const row = batch.rows[0]!
      x.values.set(table.subarray(row * dimension, (row + 1) * dimension))
      const before = workspace.matrix('state', 1, state.length)
      before.values.set(state)
      const after = recurrence.advance(x, before, batch)
      state.set(after.state.values)
      theta.set(after.theta.values)
    },
  }
}
