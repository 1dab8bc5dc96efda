// Session-parallel training as in GRU4Rec: each lane of the batch processes one session, one event
// per step, and starts the next session when its own ends. Gradients do not flow back in time. The
// hidden state carries over between steps and is reset to zero in lanes that start a session.

import { invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import { requireKnownItems } from '../batch.ts'
import { positiveInteger, requireSettings } from '../../core/settings.ts'
import { zeroMatrix } from '../layers/layer.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { createTrainer } from './trainer.ts'
import type { Trainer } from './trainer.ts'
import { epochOptions, runEpochs } from './train.ts'
import type { TrainOptions, TrainProgress, TrainReport } from './train.ts'

/** Settings of {@link trainSessionParallel}. */
export interface SessionParallelOptions extends Omit<TrainOptions, 'batchSize'> {
  /** Sessions in parallel; fewer at the end of an epoch. */
  readonly lanes: number
}

/**
 * One step of all lanes: the input items, the target items, and the origin of each lane's state.
 */
export interface LaneStep {
  readonly inputs: Int32Array
  readonly targets: Int32Array
  /** The lane's index in the step before, or −1 if its session starts here. */
  readonly from: Int32Array
}

/** Yields the steps of all sessions, in order, with at most `lanes` sessions in parallel. */
export function* walkSessions(sessions: readonly Int32Array[], lanes: number): Generator<LaneStep> {
  const playable = sessions.filter((session) => session.length > 1)
  let next = Math.min(lanes, playable.length)
  let open = Array.from({ length: next }, (_, lane) => ({
    session: playable[lane]!,
    at: 0,
    from: -1,
  }))
  while (open.length > 0) {
    yield {
      inputs: Int32Array.from(open, ({ session, at }) => session[at]!),
      targets: Int32Array.from(open, ({ session, at }) => session[at + 1]!),
      from: Int32Array.from(open, ({ from }) => from),
    }
    open = open.flatMap(({ session, at }, lane) => {
      if (at + 2 < session.length) return [{ session, at: at + 1, from: lane }]
      if (next === playable.length) return []
      return [{ session: playable[next++]!, at: 0, from: -1 }]
    })
  }
}

/**
 * Trains a model on many sessions in parallel, one event of each per step, as GRU4Rec does. Pass
 * the sessions in order of time; they are not shuffled.
 */
export function trainSessionParallel(
  model: SequenceModel,
  sessions: readonly Int32Array[],
  options: SessionParallelOptions,
): Generator<TrainProgress, TrainReport> {
  requireNoStart(model)
  const lanes = positiveInteger('Sessions side by side')
  requireSettings('trainSessionParallel', { ...epochOptions, lanes }, options)
  for (const session of sessions) requireKnownItems(session, model.itemCount)
  const trainer = createTrainer(model, options)
  const length = walkSessions(sessions, options.lanes).reduce((steps) => steps + 1, 0)
  return runEpochs(model, options, (_, random) => ({
    length,
    *[Symbol.iterator]() {
      const walk = createWalk(model, trainer, random)
      for (const step of walkSessions(sessions, options.lanes)) yield () => walk(step)
    },
  }))
}

function createWalk(model: SequenceModel, trainer: Trainer, random: Random) {
  const { dimension } = model
  let before = new Float32Array()
  return ({ inputs, targets, from }: LaneStep) => {
    const lanes = inputs.length
    const state = zeroMatrix(model.workspace, 'session states', lanes, dimension)
    for (const [lane, source] of from.entries()) {
      if (source < 0) continue
      const values = before.subarray(source * dimension, (source + 1) * dimension)
      state.values.set(values, lane * dimension)
    }
    const batch = {
      steps: 1,
      sequences: lanes,
      rows: inputs.map((item) => item + 1),
      rewards: new Float32Array(lanes),
      times: new Float64Array(lanes),
    }
    const rows = Int32Array.from({ length: lanes }, (_, lane) => lane)
    const rewards = new Float32Array(lanes).fill(1)
    const { loss, theta } = trainer.step(
      { batch, targets: { rows, items: targets, rewards }, state },
      random,
    )
    before = theta.values.slice()
    return { loss, events: lanes }
  }
}

/** Lanes never read a start vector, and θ must be the hidden state, because it is carried over. */
function requireNoStart({ architecture }: SequenceModel): void {
  if (!architecture.withStart) return
  throw invalid(
    `${architecture.description.model} has a start vector, which session-parallel training does not ` +
      'use: call train, or use gru4rec-parity',
  )
}
