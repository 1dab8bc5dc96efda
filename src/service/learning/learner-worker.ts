// The learner thread: serves the calls of the main thread to train, save, roll back and erase users.

import { createEngine } from '../../kernels/index.ts'
import { packHistories } from '../../recommender/held-out.ts'
import { restoreFromParts } from '../../recommender/recommender.ts'
import { updateFrom, updateFromTrained } from '../../recommender/weight-update.ts'
import type { Recommender, WeightUpdate, WeightWatch } from '../../recommender/index.ts'
import { moved, serveCalls } from '../../node/thread.ts'
import { openReader, type Position } from '../../storage/index.ts'
import { Fold } from '../log/fold.ts'
import { createSplit, groupSettings, modelGroupPlans } from '../state/model-groups.ts'
import { shrinkHeap } from './shrink-heap.ts'
import type { TrainingData } from '../training/full-training.ts'
import type { LearnReport, ThreadCalls, ThreadStart } from './thread.ts'

interface Watched {
  readonly recommender: Recommender
  readonly watch: WeightWatch
  /** The last update that the main thread received; at first, all weights. */
  sent: WeightUpdate
}

/** Milliseconds between two progress reports. */
const reportEvery = 50

let replicas: ReturnType<typeof createReplicas>
let learners: ReadonlyMap<string, Watched>
let parts: Iterator<Uint8Array> | null = null

serveCalls<ThreadCalls>({
  async restore(start) {
    replicas = await openReplicas(start)
    learners = new Map(Array.from(replicas.recommenders, ([name, one]) => [name, watched(one)]))
    // The states of all groups have the same position.
    return start.groups[0]!.position
  },
  catchUp: (upTo) => replicas.catchUp(upTo),
  learn: ({ group, now }, { progress }) => moved(learn(learners.get(group)!, now, progress)),
  saveWeights(group) {
    parts = learners.get(group)!.recommender.saveWeightsInParts()
  },
  saveState({ group, itemsInWeights }) {
    parts = learners.get(group)!.recommender.saveState({ itemsInWeights })
  },
  nextPart() {
    const { done, value } = parts!.next()
    return done === true ? null : moved(value)
  },
  rollBack({ group, weights }) {
    const one = learners.get(group)!
    return adopt(one, updateFrom(weights, one.sent))
  },
  trainingData: ({ group, items }) => moved(trainingDataOf(learners.get(group)!, items)),
  adoptTrained({ group, weights, trainedUpToEvent, trainedUpToTime }) {
    const one = learners.get(group)!
    const { names } = one.recommender.state.catalog
    const progress = { trainedUpToEvent, trainedUpToTime, fineTunes: one.sent.fineTunes }
    return adopt(one, updateFromTrained(weights, names, one.sent, progress))
  },
  eraseUser: ({ users, position }) => replicas.eraseUsers(users, position),
})

function watched(recommender: Recommender): Watched {
  const watch = recommender.watchWeights()
  return { recommender, watch, sent: watch.changes() }
}

function changesOf(group: Watched): WeightUpdate {
  group.sent = group.watch.changes()
  return group.sent
}

function adopt(group: Watched, update: WeightUpdate): WeightUpdate {
  group.recommender.adopt(update)
  return moved(changesOf(group))
}

const nothingNew = { steps: 0, loss: 0, heldOut: null, refused: null, waiting: 0 } as const

function learn(group: Watched, now: number, report: (share: number) => void): LearnReport {
  const { recommender } = group
  let reportedAt = -Infinity
  const onProgress = (share: number): void => {
    if (performance.now() - reportedAt < reportEvery) return
    reportedAt = performance.now()
    report(share)
  }
  const hasNewEvents = recommender.hasNewEvents(now)
  const tuned = hasNewEvents ? recommender.fineTune({ now, onProgress }) : nothingNew
  const { steps, loss, heldOut, refused, waiting } = tuned
  const update = refused === null && steps > 0 ? changesOf(group) : null
  return { steps, loss, heldOut, refused, waiting, update }
}

function trainingDataOf({ recommender, sent }: Watched, items: number | null): TrainingData {
  // Frees the garbage of reading the log before a run needs the memory.
  shrinkHeap()
  const { state, model } = recommender
  const itemNames = state.catalog.names.slice(0, items ?? Infinity)
  const { trainedUpToTime } = sent
  return {
    itemNames,
    histories: packHistories(state.users, {
      itemCount: itemNames.length,
      withTimes: model.architecture.readsTimes === true,
      // Fine-tuning continues with later slates.
      settledBy: trainedUpToTime,
    }),
    served: recommender.saveWeights(),
    interactions: state.interactions.reduce((sum, count) => sum + count, 0),
    position: state.events,
    trainedUpToTime,
  }
}

async function openReplicas({ settings, log, groups }: ThreadStart) {
  const engine = await createEngine()
  const reader = await openReader(log)
  const plans = new Map(modelGroupPlans(settings).map((plan) => [plan.name, plan]))
  const recommenders = new Map<string, Recommender>()
  for (const { group, weights, state: saved } of groups) {
    const own = groupSettings(engine, plans.get(group)!, settings)
    const [state, owner] =
      typeof saved === 'number'
        ? ([reader.readSnapshot(saved), 'given'] as const)
        : ([saved, 'shared'] as const)
    recommenders.set(group, await restoreFromParts(engine, { weights, state }, own, owner))
  }
  return createReplicas(settings, recommenders, reader, groups[0]!.position)
}

type LogReader = Awaited<ReturnType<typeof openReader>>

/** The main thread applies the same events, and logs those that are skipped. */
const ignore = (): void => {}

/**
 * The recommenders of the learner by the name of the model group, which apply the same log as those of
 * the main thread.
 */
function createReplicas(
  settings: ThreadStart['settings'],
  recommenders: ReadonlyMap<string, Recommender>,
  reader: LogReader,
  restored: Position,
) {
  const groups = Array.from(recommenders, ([name, recommender]) => ({ name, recommender }))
  const fold = new Fold(groups, createSplit(settings), ignore)
  let position = restored

  return {
    recommenders,
    /** Reads the log up to a position. */
    async catchUp(upTo: Position): Promise<Position> {
      const options = { upTo, ...(settings.skipDamaged && { onDamaged: ignore }) }
      for await (const events of reader.read(position, options)) {
        for (const event of events) {
          fold.apply(event)
          position = event.position
        }
      }
      position = Math.max(position, upTo)
      return position
    },
    eraseUsers(users: readonly string[], at: Position): void {
      fold.eraseUsers(users, Math.max(at, position))
    },
  }
}
