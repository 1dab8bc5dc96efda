// A learner's thread that is available when a job needs it: one that has died is replaced by another,
// which starts from the weights that serve and the newest saved state.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import { memoryOf, Thread } from '../../node/thread.ts'
import type { Position, SnapshotInfo } from '../../storage/index.ts'
import { commonStates, readParts } from '../state/restore.ts'
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
  /** The file that the thread reads the log from; null where it is handed what is read here. */
  readonly log: string | null
  readonly spawn: SpawnThread
  /** Ends the wait before a thread is replaced. */
  readonly signal: AbortSignal
}

/** Milliseconds before a thread is replaced; twice as long for each that died before its time. */
const firstDelay = 100
const longestDelay = 10_000
const longLife = 60_000

export class LiveThread {
  readonly #options: LiveThreadOptions
  readonly #settings: ThreadSettings
  #thread: LearnerThread | null = null
  #openedAt = 0
  #deaths = 0
  #position: Position = 0

  constructor(options: LiveThreadOptions) {
    const {
      store: _s,
      clock: _c,
      onLogMessage: _l,
      modelFile: _m,
      ...settings
    } = options.start.settings
    this.#options = options
    this.#settings = settings
  }

  /** How far it has come. */
  get position(): Position {
    return this.#position
  }

  /** The thread, once it has applied the log at least up to a position. */
  async at(wanted: Position): Promise<LearnerThread> {
    const live = this.#thread?.isAlive() === true ? this.#thread : await this.#open()
    if (this.#position < wanted) await this.#follow(live, wanted)
    return live
  }

  async end(): Promise<void> {
    await this.#thread?.end()
  }

  async #open(): Promise<LearnerThread> {
    const { spawn, signal } = this.#options
    const wait = Math.min(firstDelay * 2 ** (this.#deaths - 1), longestDelay)
    if (this.#deaths > 0) await delay(wait, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
    this.#openedAt = performance.now()
    const isFirst = this.#thread === null
    const onDeath = (death: RenError): void => this.#died(death)
    const opened = new Thread<ThreadCalls>(spawn(), "the learner's thread", onDeath)
    this.#thread = opened
    try {
      await (isFirst ? this.#restoreFirst(opened) : this.#restoreSaved(opened))
    } catch (error) {
      throw await this.#dismiss(opened, error)
    }
    return opened
  }

  #died({ message, code }: RenError): void {
    this.#deaths = performance.now() - this.#openedAt > longLife ? 1 : this.#deaths + 1
    const { logMessage } = this.#options.start
    logMessage({ level: 'warning', message: `${message}; another takes its place`, code })
  }

  /** A thread that could not restore its groups counts as dead. Answers what it died of. */
  async #dismiss(opened: LearnerThread, reason: unknown): Promise<unknown> {
    if (!opened.isAlive()) return reason
    await opened.end()
    const death = new RenError('worker-failed', `the learner could not start: ${String(reason)}`)
    this.#died(death)
    return death
  }

  async #restore(opened: LearnerThread, groups: readonly ThreadGroup[]): Promise<void> {
    const start = { settings: this.#settings, log: this.#options.log, groups }
    this.#position = await opened.call('restore', start, { transfer: memoryOf(groups) })
  }

  /** From what the main thread started with, in the same memory. */
  async #restoreFirst(opened: LearnerThread): Promise<void> {
    const first = this.#options.start.groups.map((one) => {
      const { group, weights, state, sharedParts, position } = one
      // Emptied here, so that memory is free once both threads have released it.
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

  /** From the newest readable state; where there is none, from the first event. */
  async #restoreSaved(opened: LearnerThread): Promise<void> {
    const { store, settings, groups, logMessage } = this.#options.start
    const plans = groups.map(({ group }) => group)
    for (const states of await commonStates({ store, settings }, plans)) {
      try {
        return await this.#restore(opened, await this.#presentGroups(states))
      } catch (error) {
        if (!opened.isAlive()) throw error
        const message = `a state that was saved cannot be read: ${String(error)}`
        logMessage({ level: 'warning', message })
      }
    }
    await this.#restore(opened, await this.#presentGroups([]))
  }

  #presentGroups(states: readonly SnapshotInfo[]): Promise<ThreadGroup[]> {
    return Promise.all(
      this.#options.start.groups.map(async ({ group: { name, recommender } }, i) => {
        const info = states[i] ?? null
        const state = await this.#readableIn(info)
        const weights = recommender.saveWeights()
        return { group: name, weights, state, position: info?.position ?? 0 }
      }),
    )
  }

  /** The number of a snapshot in the file, or its parts where there is no file. */
  async #readableIn(state: SnapshotInfo | null): Promise<ThreadGroup['state']> {
    const { start, log } = this.#options
    return state && (log === null ? readParts(start.store, state) : state.id)
  }

  async #follow(live: LearnerThread, upTo: Position): Promise<void> {
    const { start, log } = this.#options
    if (log !== null) {
      this.#position = await live.call('follow', upTo)
      return
    }
    // Leaves out the events that the main thread has left out and logged.
    const onDamaged = (): void => {}
    const options = { upTo, ...(this.#settings.skipDamaged && { onDamaged }) }
    for await (const events of start.store.read(this.#position, options)) {
      this.#position = await live.call('receive', events)
    }
  }
}
