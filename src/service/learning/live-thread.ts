// The learner thread, restarted when it fails. A new thread starts from the served weights and the
// newest saved state.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import { memoryOf, Thread } from '../../node/thread.ts'
import type { Position, SnapshotInfo } from '../../storage/index.ts'
import { errorMessage } from '../settings.ts'
import { commonStates } from '../state/restore.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import type { LearnerStart } from './learner-types.ts'
import type {
  LearnerThread,
  SpawnThread,
  ThreadCalls,
  ThreadGroup,
  ThreadSettings,
} from './thread.ts'

interface LiveThreadOptions {
  readonly start: LearnerStart
  readonly spawn: SpawnThread
  /** Ends the wait before a restart. */
  readonly signal: AbortSignal
}

/** Milliseconds before a restart; doubles with each thread that fails within `stableMs`. */
const firstDelay = 100
const maxDelay = 10_000
const stableMs = 60_000
/** So many threads in a row that fail within `stableMs` mean that the next one will fail as well. */
const maxExits = 3

export class LiveThread {
  readonly #options: LiveThreadOptions
  readonly #settings: ThreadSettings
  #thread: LearnerThread | null = null
  #openedAt = 0
  #exits = 0
  #position: Position = 0
  /** The versions of the weights in the thread, by group. */
  readonly #versions = new Map<string, number>()

  constructor(options: LiveThreadOptions) {
    const all = options.start.settings
    const { store: _s, clock: _c, onLogMessage: _l, modelFile: _m, ...settings } = all
    this.#options = options
    this.#settings = settings
  }

  /** The position up to which the thread has applied the log. */
  get position(): Position {
    return this.#position
  }

  /** Call it when the weights that the thread has learned serve. */
  adopted({ name, version }: ModelGroup): void {
    this.#versions.set(name, version)
  }

  /** Throws if the thread has not learned from the served weights. */
  requireServed({ name, version }: ModelGroup): void {
    if (this.#versions.get(name) === version) return
    throw new RenError('worker-failed', `version ${version} of ${name} serves meanwhile`)
  }

  /** Resolves with the thread once it has applied the log up to a position. */
  async at(wanted: Position): Promise<LearnerThread> {
    const live = this.#thread?.isAlive() === true ? this.#thread : await this.#open()
    if (this.#position < wanted) this.#position = await live.call('catchUp', wanted)
    return live
  }

  async end(): Promise<void> {
    await this.#thread?.end()
  }

  async #open(): Promise<LearnerThread> {
    const { spawn, signal } = this.#options
    const wait = Math.min(firstDelay * 2 ** (this.#exits - 1), maxDelay)
    if (this.#exits > 0) await delay(wait, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
    this.#openedAt = performance.now()
    const isFirst = this.#thread === null && this.#options.start.fromMemory
    const onExit = (reason: RenError): void => this.#exited(reason)
    const opened = new Thread<ThreadCalls>(spawn(), "the learner's thread", onExit)
    this.#thread = opened
    try {
      await (isFirst ? this.#restoreFirst(opened) : this.#restoreSaved(opened))
    } catch (error) {
      throw await this.#dismiss(opened, error)
    }
    return opened
  }

  #exited({ message, code }: RenError): void {
    this.#exits = performance.now() - this.#openedAt > stableMs ? 1 : this.#exits + 1
    const { logMessage, onFailing } = this.#options.start
    logMessage({ level: 'warning', message: `${message}; a new thread replaces it`, code })
    if (this.#exits >= maxExits) onFailing()
  }

  /** Ends a thread that could not restore its groups, and returns the error to throw. */
  async #dismiss(opened: LearnerThread, reason: unknown): Promise<unknown> {
    if (!opened.isAlive()) return reason
    await opened.end()
    const failure = new RenError('worker-failed', `the learner could not start: ${String(reason)}`)
    this.#exited(failure)
    return failure
  }

  async #restore(opened: LearnerThread, groups: readonly ThreadGroup[]): Promise<void> {
    const { readerLocation: log } = this.#options.start.store
    const start = { settings: this.#settings, log, groups }
    for (const { group } of this.#options.start.groups) this.adopted(group)
    this.#position = await opened.call('restore', start, { transfer: memoryOf(groups) })
  }

  /** Restores the state that the main thread started with, in shared memory. */
  async #restoreFirst(opened: LearnerThread): Promise<void> {
    const first = this.#options.start.groups.map((one) => {
      const { group, weights, state, sharedParts, position } = one
      // Empties the list, so that the memory is freed once both threads have released it.
      const parts = sharedParts.splice(0)
      return { group: group.name, weights, state: state && parts, position }
    })
    try {
      await this.#restore(opened, first)
    } catch (error) {
      if (!opened.isAlive()) throw error
      await this.#restoreSaved(opened)
    }
  }

  /** Restores the newest readable state, or without one starts from the first event. */
  async #restoreSaved(opened: LearnerThread): Promise<void> {
    const { store, settings, groups, logMessage } = this.#options.start
    const plans = groups.map(({ group }) => group)
    for (const states of await commonStates({ store, settings }, plans)) {
      try {
        return await this.#restore(opened, this.#presentGroups(states))
      } catch (error) {
        if (!opened.isAlive()) throw error
        logMessage(errorMessage('warning', 'a saved state cannot be read', error))
      }
    }
    await this.#restore(opened, this.#presentGroups([]))
  }

  #presentGroups(states: readonly SnapshotInfo[]): ThreadGroup[] {
    return this.#options.start.groups.map(({ group: { name, recommender } }, i) => {
      const { id = null, position = 0 } = states[i] ?? {}
      return { group: name, weights: recommender.saveWeights(), state: id, position }
    })
  }
}
