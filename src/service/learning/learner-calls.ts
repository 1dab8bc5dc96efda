// What the learner's thread does for the main thread: it learns, saves, rolls back and erases users.

import { createEngine } from '../../kernels/index.ts'
import {
  packHistories,
  updateFrom,
  updateFromTrained,
  restoreFromParts,
} from '../../recommender/index.ts'
import type { Recommender, WeightUpdate, WeightWatch } from '../../recommender/index.ts'
import { openSqliteReader } from '../../storage/index.ts'
import type { Position, StoredEvent } from '../../storage/index.ts'
import { createFold } from '../log/fold.ts'
import { modelGroupPlans, groupSettings } from '../state/model-groups.ts'
import { shrinkHeap } from './shrink-heap.ts'
import { createSplit } from '../serving/variants.ts'
import type { ThreadCalls, Training, ThreadStart } from './calls.ts'

interface Watched {
  readonly recommender: Recommender
  readonly watch: WeightWatch
  /** What the main thread has; to begin with, all. */
  sent: WeightUpdate
}

/** Milliseconds between two words on how far an update is. */
const silence = 50

/** Calls `tell` with progress while the learner trains. */
export function createLearnerCalls(tell: (training: Training) => void): ThreadCalls {
  let tailers: Tailers
  let groups: ReadonlyMap<string, Watched>
  let parts: Iterator<Uint8Array> | null = null

  return {
    async restore(start) {
      tailers = await openTailers(start)
      groups = new Map(Array.from(tailers.recommenders, ([name, one]) => [name, watched(one)]))
      return tailers.position
    },
    async follow(upTo) {
      await tailers.follow(upTo)
      return tailers.position
    },
    receive(events) {
      tailers.receive(events)
      return tailers.position
    },
    learn({ group, now }) {
      const { recommender } = groups.get(group)!
      let reportedAt = -Infinity
      const onProgress = (share: number): void => {
        if (performance.now() - reportedAt < silence) return
        reportedAt = performance.now()
        tell({ group, share })
      }
      const hasNewEvents = recommender.hasNewEvents(now)
      const report = hasNewEvents ? recommender.fineTune({ now, onProgress }) : nothingNew
      const { steps, loss, heldOut, refused, waiting } = report
      const update = refused === null && steps > 0 ? changesOf(groups.get(group)!) : null
      return { steps, loss, heldOut, refused, waiting, update }
    },
    saveWeights(group) {
      parts = groups.get(group)!.recommender.saveWeightsInParts()
    },
    saveState({ group, itemsInWeights }) {
      parts = groups.get(group)!.recommender.saveState({ itemsInWeights })
    },
    nextPart() {
      const { done, value } = parts!.next()
      return done === true ? null : value
    },
    goBack({ group, weights }) {
      const one = groups.get(group)!
      one.recommender.adopt(updateFrom(weights, one.sent))
      return changesOf(one)
    },
    trainingData({ group, items }) {
      const { recommender, sent } = groups.get(group)!
      // What reading the log has left behind goes before a run needs memory.
      shrinkHeap()
      const { state, model } = recommender
      const readsTimes = model.architecture.readsTimes === true
      const itemNames = state.catalog.names.slice(0, items ?? Infinity)
      return {
        itemNames,
        histories: packHistories(state.users, itemNames.length, readsTimes),
        served: recommender.saveWeights(),
        interactions: state.takes.reduce((sum, count) => sum + count, 0),
        position: state.events,
        learntTime: sent.learntTime,
      }
    },
    adoptTrained({ group, weights, learntEvents, learntTime }) {
      const one = groups.get(group)!
      const { names } = one.recommender.state.catalog
      const learnt = { learntEvents, learntTime, fineTunes: one.sent.fineTunes }
      one.recommender.adopt(updateFromTrained(weights, names, one.sent, learnt))
      return changesOf(one)
    },
    eraseUser: ({ users, position }) => tailers.eraseUsers(users, position),
    close: () => tailers.close(),
  }
}

function watched(recommender: Recommender): Watched {
  const watch = recommender.watchWeights()
  return { recommender, watch, sent: watch.changes() }
}

function changesOf(group: Watched): WeightUpdate {
  group.sent = group.watch.changes()
  return group.sent
}

const nothingNew = { steps: 0, loss: 0, heldOut: null, refused: null, waiting: 0 } as const

// The learner's recommenders, one per group, which apply the same log as those of the main thread.

interface Tailers {
  readonly position: Position
  /** By the names of their groups. */
  readonly recommenders: ReadonlyMap<string, Recommender>
  /** Reads the log up to a position. */
  follow(upTo: Position): Promise<void>
  receive(events: readonly StoredEvent[]): void
  eraseUsers(users: readonly string[], position: Position): void
  close(): Promise<void>
}

async function openTailers({ settings, log, groups }: ThreadStart): Promise<Tailers> {
  const engine = await createEngine()
  const reader = log === null ? null : await openSqliteReader(log)
  const plans = new Map(modelGroupPlans(settings).map((plan) => [plan.name, plan]))
  const recommenders = new Map<string, Recommender>()
  for (const { group, weights, state: saved } of groups) {
    const own = groupSettings(engine, plans.get(group)!, settings)
    const [state, owner] =
      typeof saved === 'number'
        ? ([reader!.readSnapshot(saved), 'given'] as const)
        : ([saved, 'shared'] as const)
    recommenders.set(group, await restoreFromParts(engine, { weights, state }, own, owner))
  }
  const folded = Array.from(recommenders, ([name, recommender]) => ({ name, recommender }))
  // The main thread receives the same events and logs those that are left out.
  const leftOut = (): void => {}
  const fold = createFold(folded, createSplit(settings), leftOut)
  // States are of one position.
  let position = groups[0]!.position

  function receive(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.position <= position) continue
      fold.apply(event)
      position = event.position
    }
  }

  return {
    get position() {
      return position
    },
    recommenders,
    async follow(upTo) {
      const options = { upTo, ...(settings.skipDamaged && { onDamaged: leftOut }) }
      for await (const events of reader!.read(position, options)) receive(events)
      position = Math.max(position, upTo)
    },
    receive,
    eraseUsers: (users, at) => fold.eraseUsers(users, Math.max(at, position)),
    async close() {
      await reader?.close()
    },
  }
}
