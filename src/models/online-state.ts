// θ that follows one user from event to event: a recurrent network needs its state and the new
// event, not the history, so one more event costs O(d²). Holds plain arrays, no memory of the
// engine: a service may keep as many as it has users.

import { RenError } from '../core/errors.ts'
import { requireKnownItems } from './batch.ts'
import type { History } from './batch.ts'
import type { Recurrence, SequenceModel } from './sequence-model.ts'

export interface OnlineState {
  /** False once the model's weights have moved: the state belongs to the old ones. */
  readonly current: boolean
  /** Takes up one more event. */
  advance(item: number, reward: number, time: number): void
  /** θ after all events so far, written to `out` (d values). */
  theta(out: Float32Array): void
}

/**
 * The state after a history. θ equals the model's `userEmbedding` while all events since the start
 * fit its window; later it remembers more than the window holds.
 */
export function createOnlineState(
  model: SequenceModel,
  recurrence: Recurrence,
  { items, rewards, times }: History,
): OnlineState {
  const { dimension, version } = model
  const workspace = model.workspace.within('online')
  const state = new Float32Array(recurrence.stateWidth)
  const theta = new Float32Array(dimension)
  let timeBefore = Number.NEGATIVE_INFINITY

  /** One step on, by a row of the item table. */
  function step(row: number, reward: number, time: number): void {
    const x = workspace.matrix('x', 1, dimension)
    const table = model.table.parameter.value.values
    x.values.set(table.subarray(row * dimension, (row + 1) * dimension))
    const before = workspace.matrix('state', 1, state.length)
    before.values.set(state)
    const after = recurrence.advance(x, before, {
      steps: 1,
      sequences: 1,
      rows: Int32Array.of(row),
      rewards: Float32Array.of(reward),
      times: Float64Array.of(time),
      timesBefore: Float64Array.of(timeBefore),
    })
    state.set(after.state.values)
    theta.set(after.theta.values)
    timeBefore = time
  }

  function requireCurrent(): void {
    if (model.version === version) return
    throw new RenError(
      'stale-state',
      `the model has been trained since this state was opened (weights ${version}, now ` +
        `${model.version}): open it anew from the history`,
    )
  }

  requireKnownItems(items, model.itemCount)
  if (model.architecture.withStart) step(0, 0, Number.NEGATIVE_INFINITY)
  for (const [event, item] of items.entries()) step(item + 1, rewards[event]!, times[event]!)

  return {
    get current() {
      return model.version === version
    },
    advance(item, reward, time) {
      requireCurrent()
      requireKnownItems([item], model.itemCount)
      step(item + 1, reward, time)
    },
    theta(out) {
      requireCurrent()
      out.set(theta)
    },
  }
}
