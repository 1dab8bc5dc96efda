// Session-parallel training, as GRU4Rec does it: each lane of the batch walks through one session,
// one event a step, and takes up the next session when its own ends. Gradients do not flow back in
// time; the hidden state does flow on, and is zeroed exactly in the lanes whose session ended.

import { invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import { requireKnownItems } from '../batch.ts'
import { positiveInteger, requireSettings } from '../../core/settings.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { createTrainer } from './trainer.ts'
import type { TrainerOptions } from './trainer.ts'
import { epochOptions, runEpochs } from './train.ts'
import type { TrainOptions, TrainProgress, TrainReport } from './train.ts'

/** Settings of {@link trainSessionParallel}. */
export interface SessionParallelOptions extends TrainerOptions, Omit<TrainOptions, 'batchSize'> {
  /** Lanes side by side; fewer at the end of an epoch, when sessions run out. */
  readonly lanes: number
}

/** One step of all lanes: item in, item to predict, and which lanes begin a session with it. */
export interface LaneStep {
  readonly inputs: Int32Array
  readonly targets: Int32Array
  /** Where each lane stood in the step before; −1 where its session begins here. */
  readonly from: Int32Array
}

/** Walks `lanes` sessions side by side, in order, until all are done; a lane left empty is closed. */
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
  const length = countSteps(sessions, options.lanes)
  return runEpochs(model, options, (_, random) => ({
    length,
    *[Symbol.iterator]() {
      const walk = createWalk(model, trainer, random)
      for (const step of walkSessions(sessions, options.lanes)) yield () => walk(step)
    },
  }))
}

function createWalk(
  model: SequenceModel,
  trainer: ReturnType<typeof createTrainer>,
  random: Random,
) {
  const { dimension } = model
  let before = new Float32Array()
  return ({ inputs, targets, from }: LaneStep) => {
    const lanes = inputs.length
    const state = model.workspace.matrix('session states', lanes, dimension)
    for (let lane = 0; lane < lanes; lane++) {
      const row = lane * dimension
      const source = from[lane]! * dimension
      if (source < 0) state.values.fill(0, row, row + dimension)
      else state.values.set(before.subarray(source, source + dimension), row)
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

function countSteps(sessions: readonly Int32Array[], lanes: number): number {
  let steps = 0
  for (const step of walkSessions(sessions, lanes)) steps += step.inputs.length > 0 ? 1 : 0
  return steps
}

/** Lanes never see a start vector, and what they carry on is θ: it must be the hidden state. */
function requireNoStart({ architecture }: SequenceModel): void {
  if (!architecture.withStart) return
  throw invalid(
    `${architecture.description.model} opens sequences with a start vector, which session-parallel ` +
      'training never shows: use train, or gru4rec-parity',
  )
}
