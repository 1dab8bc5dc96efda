// The main thread's side of the learner: what it is asked for, one job at a time, and when it learns
// and saves by itself.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import type { EventStore, Erasure, Position } from '../../storage/index.ts'
import { memoryLocation } from '../../storage/memory-store.ts'
import { hasTakenFile } from '../state/import-model.ts'
import type { StartLearner, Learner, LearnerStart } from './learner-types.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { runInSlices } from './run-in-slices.ts'
import { saveWithRetry, trimStates, stateSnapshot } from '../state/snapshots.ts'
import { startFullTraining } from '../training/full-training.ts'
import type { TrainingStatus } from '../training/training-status.ts'
import { spawnTraining } from '../training/training-thread.ts'
import type { SpawnTraining } from '../training/training-thread.ts'
import type { Training } from './calls.ts'
import { maintainThread } from './live-thread.ts'
import { createModelApi } from './model-api.ts'
import { startSchedule } from './schedule.ts'
import { serveBaseline } from './swap.ts'
import { spawnThread, partsFrom } from './thread.ts'
import type { SpawnThread, LearnerThread } from './thread.ts'
import { createUpdates } from './updates.ts'
import type { Learnt } from './updates.ts'
import { openVersions } from './versions.ts'
import type { Versions } from './versions.ts'

export const startLearner: StartLearner = (start) =>
  openLearner(start, { spawn: spawnThread, patience: 5000 })

export interface LearnerOptions {
  readonly spawn: SpawnThread
  /** Starts the thread of a full training run. */
  readonly spawnTraining?: SpawnTraining
  /** How long the end waits for what the thread is at, in milliseconds. */
  readonly patience: number
}

export async function openLearner(start: LearnerStart, options: LearnerOptions): Promise<Learner> {
  const { settings, store, logMessage } = start
  const { spawn, patience } = options
  const groups = start.groups.map(({ group }) => group)
  const versions = await openVersions(start)
  const closing = new AbortController()
  const { signal } = closing
  const updates = createUpdates(start, versions, signal)
  const queue = createJobQueue(signal)
  const training = followTraining(start.onTraining)
  const live = maintainThread({
    start: { ...start, onTraining: training.report },
    log: logOf(start.store),
    spawn,
    signal,
  })
  let applied: Position = start.position
  /** Per position of an erasure, the erased users: the thread needs them when it reads that event. */
  const erasing = new Set<Position>()
  /** Of the last update of each group, where it failed. */
  const failures = new Map<string, string>()

  function withThread<T>(job: (thread: LearnerThread) => Promise<T>): Promise<T> {
    return queue.run(async () => {
      const before = Array.from(erasing, (position) => position - 1)
      return job(await live.at(Math.min(applied, ...before)))
    })
  }

  /** For a job that nobody waits for. */
  async function attempt<T>(what: string, job: () => Promise<T>): Promise<T | null> {
    try {
      return await job()
    } catch (error) {
      // The death of a thread was logged.
      if (!signal.aborted && !isDeath(error)) {
        logMessage({
          level: 'error',
          message: `${what} failed: ${String(error)}`,
          ...codeOf(error),
        })
      }
      return null
    }
  }

  async function learn(group: ModelGroup): Promise<Learnt> {
    try {
      const learnt = await withThread((thread) => updates.learn(thread, group))
      failures.delete(group.name)
      return learnt
    } catch (error) {
      failures.set(group.name, `the last update of ${group.name} failed: ${String(error)}`)
      throw error
    } finally {
      training.ended(group.name)
    }
  }

  async function learnAll(): Promise<boolean> {
    let more = false
    for (const group of groups) {
      const learnt = await attempt(`learning for ${group.name}`, () => learn(group))
      if (learnt?.outcome.outcome === 'learnt' && learnt.waiting > 0) more = true
    }
    return more
  }

  const saveState = (): Promise<void> =>
    saveWithRetry(() => withThread((thread) => saveStates(start, thread, live.position, versions)))

  const goBack = (group: ModelGroup, version: number): Promise<void> =>
    withThread((thread) => updates.goBack(thread, group, version))

  async function eraseUser({ users, position, cameBack }: Erasure): Promise<void> {
    try {
      // Nobody knows whether the thread read the merge before it was erased.
      if (cameBack) return await live.end()
      const thread = await live.at(position)
      await thread.ask('eraseUser', { users, position })
    } catch {
      // What a thread knows goes with it, and the next begins from what is left.
      await live.end()
    } finally {
      erasing.delete(position)
    }
  }

  const fullTraining = await startFullTraining({
    groups,
    settings,
    store,
    logMessage,
    onStatus: (run) => start.onTraining({ group: run.group, share: shareOf(run), run }),
    spawn: options.spawnTraining ?? spawnTraining,
    capture: ({ name: group }, items) =>
      withThread((thread) => thread.ask('trainingData', { group, items })),
    async adopt(group, result, facts) {
      await withThread((thread) => updates.adoptTrained(thread, group, result, facts))
      return group.version
    },
    onBaseline(group, { blend, quality }) {
      const rest = serveBaseline(group, blend)
      if (rest === null) return
      start.onHeldOut(group.name, quality)
      void attempt(`serving the first blend of ${group.name}`, () => runInSlices(rest, signal))
    },
    servesModelFile: async (group) =>
      versions.trainedOn(group) === null && (await hasTakenFile(store, group.name)),
    trainedOn: (group) => versions.trainedOn(group) ?? 0,
  })

  // Before there is anything to do, so that the first who asks need not wait.
  void attempt('starting the learner', () => withThread(async () => {}))
  const schedules = [
    startSchedule(settings.learning, learnAll),
    startSchedule(settings.snapshots, async (events) => {
      if (events > 0) await attempt('saving the state', saveState)
      return false
    }),
  ]

  return {
    model: createModelApi({ groups, versions, learn, goBack, fullTraining }),
    follow(events) {
      applied = events.at(-1)?.position ?? applied
      for (const schedule of schedules) schedule.addEvents(events.length)
    },
    saveState,
    get problems() {
      return [...failures.values()]
    },
    async eraseUser(erasure) {
      erasing.add(erasure.position)
      // After the end there is no thread to erase anybody.
      const done = queue.run(() => eraseUser(erasure)).catch(() => {})
      fullTraining.restart()
      await done
    },
    async close() {
      for (const schedule of schedules) schedule.stop()
      const ended = fullTraining.close()
      closing.abort(new RenError('service-closed', 'the service is closed'))
      await Promise.race([queue.settled(), delay(patience, undefined, { ref: false })])
      await live.end()
      await queue.settled()
      await ended
    },
  }
}

/** A run that is not running has ended, whatever it led to. */
const shareOf = ({ state, share }: TrainingStatus): number => (state === 'running' ? share : 1)

/** The file of the log, where there is one that a thread can read for itself. */
const logOf = ({ location }: EventStore): string | null =>
  location === memoryLocation ? null : location

const isDeath = (error: unknown): boolean =>
  error instanceof RenError && error.code === 'worker-failed'

const codeOf = (error: unknown): { readonly code?: string } =>
  error instanceof RenError ? { code: error.code } : {}

// Progress of updates: every update that was reported as begun is reported as ended.

interface FollowedTraining {
  /** An update begins or goes on. */
  readonly report: (training: Training) => void
  /** Nothing is said of one that had nothing to learn, and so was never begun. */
  ended(group: string): void
}

function followTraining(tell: (training: Training) => void): FollowedTraining {
  const begun = new Set<string>()
  return {
    report(training) {
      begun.add(training.group)
      tell(training)
    },
    ended(group) {
      if (begun.delete(group)) tell({ group, share: 1 })
    },
  }
}

// Runs jobs one after the other, in the order of arrival.

interface JobQueue {
  run<T>(job: () => Promise<T>): Promise<T>
  /** Resolves when all that was given so far has ended, well or not. */
  settled(): Promise<void>
}

/** Jobs that have not begun when the signal comes do not begin. */
function createJobQueue(signal: AbortSignal): JobQueue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(job) {
      const result = last.then(() => {
        signal.throwIfAborted()
        return job()
      })
      last = result.catch(() => {})
      return result
    },
    async settled() {
      await last
    },
  }
}

// Saves the state of every group at one position, part by part, so that little of it is in memory at once.

/** Saves what the thread has come to. */
async function saveStates(
  start: LearnerStart,
  thread: LearnerThread,
  position: Position,
  versions: Versions,
): Promise<void> {
  const { store, settings, groups } = start
  for (const { group } of groups) {
    const snapshot = stateSnapshot(group, settings, position, settings.clock())
    const asked = { group: group.name, itemsInWeights: versions.itemsIn(group) }
    await store.writeSnapshot(snapshot, partsFrom(thread, 'saveState', asked))
  }
  await trimStates(start)
}
