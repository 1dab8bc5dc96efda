// The main thread's side of the learner: runs one job of the learner thread at a time, and schedules
// updates and snapshots.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import type { FittedBlend } from '../../recommender/fit-blend.ts'
import type { Position, StoredEvent } from '../../storage/index.ts'
import type { ModelApi } from '../service.ts'
import { errorMessage } from '../settings.ts'
import { hasImportedFile } from '../state/import-model.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { saveWithRetry, trimStates, stateSnapshot } from '../state/snapshots.ts'
import { FullTraining } from '../training/full-training.ts'
import type { TrainingStatus } from '../schemas/model.ts'
import { trainInThread, type TrainInThread } from '../training/training-thread.ts'
import type { Learner, LearnerStart, LoggedErasedUsers } from './learner-types.ts'
import { LiveThread } from './live-thread.ts'
import { createModelApi } from './model-api.ts'
import { runInSlices } from './run-in-slices.ts'
import { Schedule } from './schedule.ts'
import { spawnThread, partsFrom, type SpawnThread, type LearnerThread } from './thread.ts'
import { serveBaseline, Updates, type UpdateResult } from './updates.ts'
import type { Versions } from './versions.ts'

export const startLearner = (start: LearnerStart): Promise<Learner> =>
  openLearner(start, { spawn: spawnThread, patience: 5000 })

export interface LearnerOptions {
  readonly spawn: SpawnThread
  /** Runs a full training. Defaults to one in its own thread. */
  readonly trainFully?: TrainInThread
  /** Milliseconds that `close` waits for the current job. */
  readonly patience: number
}

export async function openLearner(start: LearnerStart, options: LearnerOptions): Promise<Learner> {
  const learner = new ThreadedLearner(start, options)
  await learner.open()
  return learner
}

class ThreadedLearner implements Learner {
  readonly #start: LearnerStart
  readonly #versions: Versions
  readonly #options: LearnerOptions
  readonly #groups: readonly ModelGroup[]
  readonly #closing = new AbortController()
  readonly #queue = createQueue(this.#closing.signal)
  readonly #updates: Updates
  readonly #live: LiveThread
  #applied: Position
  /** Positions of erasures that the thread has not applied. It must not read beyond them. */
  readonly #erasing = new Set<Position>()
  /** Why the last update of a group failed, by group. */
  readonly #failures = new Map<string, string>()
  readonly #fullTraining: FullTraining
  #schedules: readonly Schedule[] = []
  readonly model: ModelApi

  constructor(start: LearnerStart, options: LearnerOptions) {
    const { versions } = start.weights
    const { signal } = this.#closing
    this.#start = start
    this.#versions = versions
    this.#options = options
    this.#groups = start.groups.map(({ group }) => group)
    this.#live = new LiveThread({ start, spawn: options.spawn, signal })
    this.#updates = new Updates(start, this.#live)
    this.#applied = start.position
    this.#fullTraining = this.#createFullTraining()
    this.model = createModelApi({
      groups: this.#groups,
      versions,
      learn: (group) => this.#learn(group),
      rollBack: (group, version) =>
        this.#withThread((thread) => this.#updates.rollBack(thread, group, version)),
      fullTraining: this.#fullTraining,
    })
  }

  async open(): Promise<void> {
    const { learning, snapshots } = this.#start.settings
    await this.#fullTraining.open()
    // Starts the thread early, so that the first job need not wait for it.
    void this.#attempt('starting the learner', () => this.#withThread(async () => {}))
    this.#schedules = [
      new Schedule(learning, () => this.#learnAll()),
      new Schedule(snapshots, async (events) => {
        if (events > 0) await this.#attempt('saving the state', () => this.saveState())
        return false
      }),
    ]
  }

  get problems(): readonly string[] {
    return [...this.#failures.values()]
  }

  consume(events: readonly StoredEvent[]): void {
    this.#applied = events.at(-1)?.position ?? this.#applied
    for (const schedule of this.#schedules) schedule.addEvents(events.length)
  }

  saveState(): Promise<void> {
    return saveWithRetry(() =>
      this.#withThread((thread) =>
        saveStates(this.#start, thread, this.#live.position, this.#versions),
      ),
    )
  }

  async eraseUser(erasure: LoggedErasedUsers): Promise<void> {
    this.#erasing.add(erasure.position)
    // A closed learner refuses the job, but its thread is gone with all its data.
    const done = this.#queue.run(() => this.#eraseUser(erasure)).catch(() => {})
    this.#fullTraining.userErased()
    await done
  }

  async close(): Promise<void> {
    for (const schedule of this.#schedules) schedule.stop()
    const ended = this.#fullTraining.close()
    this.#closing.abort(new RenError('service-closed', 'the service is closed'))
    const patience = delay(this.#options.patience, undefined, { ref: false })
    await Promise.race([this.#queue.settled(), patience])
    await this.#live.end()
    await this.#queue.settled()
    await ended
  }

  #withThread<T>(job: (thread: LearnerThread) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const before = Array.from(this.#erasing, (position) => position - 1)
      return job(await this.#live.at(Math.min(this.#applied, ...before)))
    })
  }

  /** Runs a job that no caller waits for, and logs its failure. */
  async #attempt<T>(what: string, job: () => Promise<T>): Promise<T | null> {
    try {
      return await job()
    } catch (error) {
      // The failure of the thread has been logged already.
      if (!this.#closing.signal.aborted && !isThreadFailure(error)) {
        this.#start.logMessage(errorMessage('error', `${what} failed`, error))
      }
      return null
    }
  }

  async #learn(group: ModelGroup): Promise<UpdateResult> {
    const { name } = group
    const { onTraining } = this.#start
    let hasBegun = false
    const onProgress = (share: number): void => {
      hasBegun = true
      onTraining({ group: name, share })
    }
    try {
      const job = (thread: LearnerThread) => this.#updates.learn(thread, group, onProgress)
      const result = await this.#withThread(job)
      this.#failures.delete(name)
      return result
    } catch (error) {
      const { message } = errorMessage('error', `the last update of ${name} failed`, error)
      this.#failures.set(name, message)
      throw error
    } finally {
      // An update without new events reports no progress at all.
      if (hasBegun) onTraining({ group: name, share: 1 })
    }
  }

  async #learnAll(): Promise<boolean> {
    let more = false
    for (const group of this.#groups) {
      if (this.#leavesToFullTraining(group)) continue
      const result = await this.#attempt(`learning for ${group.name}`, () => this.#learn(group))
      if (result?.outcome.outcome === 'trained' && result.waiting > 0) more = true
    }
    return more
  }

  /**
   * A model without weight in the blend is not worth fine-tuning if a full training run will replace
   * it: the run learns from the same events, and needs the processor and memory.
   */
  #leavesToFullTraining(group: ModelGroup): boolean {
    const { blend } = group.recommender
    return blend?.current.weights.model === 0 && this.#fullTraining.isExpected(group)
  }

  async #eraseUser({ users, position, hasLaterEvents }: LoggedErasedUsers): Promise<void> {
    try {
      // The thread may not have read the merge before it was erased from the log.
      if (hasLaterEvents) return await this.#live.end()
      const thread = await this.#live.at(position)
      await thread.call('eraseUser', { users, position })
    } catch {
      // The next thread starts from the store, which no longer contains the user.
      await this.#live.end()
    } finally {
      this.#erasing.delete(position)
    }
  }

  #createFullTraining(): FullTraining {
    const { settings, store, lastCall, logMessage, onTraining } = this.#start
    return new FullTraining({
      lastCall,
      groups: this.#groups,
      settings,
      store,
      logMessage,
      onStatus: (run) => onTraining({ group: run.group, share: shareOf(run), run }),
      train: this.#options.trainFully ?? trainInThread,
      capture: ({ name: group }, items) =>
        this.#withThread((thread) => thread.call('trainingData', { group, items })),
      adopt: async (group, result, facts) => {
        await this.#withThread((thread) => this.#updates.adoptTrained(thread, group, result, facts))
        return group.version
      },
      onBaseline: (group, baseline) => this.#serveBaseline(group, baseline),
      servesModelFile: async (group) =>
        this.#versions.trainedOn(group) === null && (await hasImportedFile(store, group.name)),
      trainedOn: (group) => this.#versions.trainedOn(group) ?? 0,
    })
  }

  #serveBaseline(group: ModelGroup, { blend, quality }: FittedBlend): void {
    const rest = serveBaseline(group, blend)
    if (rest === null) return
    this.#start.onHeldOut(group.name, quality)
    const what = `serving the first blend of ${group.name}`
    void this.#attempt(what, () => runInSlices(rest, this.#closing.signal))
  }
}

/** A run that is not running has ended. */
const shareOf = ({ state, share }: TrainingStatus): number => (state === 'running' ? share : 1)

const isThreadFailure = (error: unknown): boolean =>
  error instanceof RenError && error.code === 'worker-failed'

/** Runs one job at a time. After the signal aborts, waiting jobs are rejected. */
function createQueue(signal: AbortSignal) {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run<T>(job: () => Promise<T>): Promise<T> {
      const result = last.then(() => {
        signal.throwIfAborted()
        return job()
      })
      last = result.catch(() => {})
      return result
    },
    /** Resolves when all jobs so far have succeeded or failed. */
    settled: () => last,
  }
}

/** Saves the states of all groups at the position of the thread, in parts to limit the memory use. */
async function saveStates(
  start: LearnerStart,
  thread: LearnerThread,
  position: Position,
  versions: Versions,
): Promise<void> {
  const { store, settings, groups } = start
  for (const { group } of groups) {
    const snapshot = stateSnapshot(group, settings, position, settings.clock())
    const request = { group: group.name, itemsInWeights: versions.itemsIn(group) }
    await store.writeSnapshot(snapshot, partsFrom(thread, 'saveState', request))
  }
  await trimStates(start)
}
