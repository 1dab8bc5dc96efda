// A learner's thread that is there when it is needed: one that has died is replaced by another, which
// goes on from the weights that serve and the newest state that is saved.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import type { Position, SnapshotInfo } from '../../storage/index.ts'
import { commonStates, readParts } from '../state/restore.ts'
import type { LearnerStart } from './learner-types.ts'
import { memoryOf } from './calls.ts'
import type { ThreadGroup } from './calls.ts'
import { openThread } from './thread.ts'
import type { SpawnThread, LearnerThread } from './thread.ts'

export interface LiveThread {
  /** The thread, once it has taken in the log at least up to a position. */
  at(position: Position): Promise<LearnerThread>
  /** How far it has come. */
  readonly position: Position
  end(): Promise<void>
}

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

export function maintainThread({ start, log, spawn, signal }: LiveThreadOptions): LiveThread {
  const { store, logMessage } = start
  const {
    store: _,
    clock: _clock,
    onLogMessage: _onLogMessage,
    modelFile: _file,
    ...settings
  } = start.settings
  let thread: LearnerThread | null = null
  let openedAt = 0
  let deaths = 0
  let position: Position = 0

  function died({ message, code }: RenError): void {
    deaths = performance.now() - openedAt > longLife ? 1 : deaths + 1
    logMessage({ level: 'warning', message: `${message}; another takes its place`, code })
  }

  async function open(): Promise<LearnerThread> {
    const wait = Math.min(firstDelay * 2 ** (deaths - 1), longestDelay)
    if (deaths > 0) await delay(wait, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
    openedAt = performance.now()
    const isFirst = thread === null
    const opened = openThread(spawn, died, start.onTraining)
    thread = opened
    try {
      await (isFirst ? restoreFirst(opened) : restoreSaved(opened))
    } catch (error) {
      throw await dismiss(opened, error)
    }
    return opened
  }

  /** One that lives without its groups is of no use, and counts as dead. Answers what it died of. */
  async function dismiss(opened: LearnerThread, reason: unknown): Promise<unknown> {
    if (!opened.isAlive()) return reason
    await opened.end()
    const death = new RenError('worker-failed', `the learner could not start: ${String(reason)}`)
    died(death)
    return death
  }

  async function restore(opened: LearnerThread, groups: readonly ThreadGroup[]): Promise<void> {
    position = await opened.ask('restore', { settings, log, groups }, memoryOf(groups))
  }

  /** As the main thread began, from the same memory. */
  async function restoreFirst(opened: LearnerThread): Promise<void> {
    try {
      const first = start.groups.map(({ group, weights, state, sharedParts, position: at }) => {
        // Taken: what both threads have left is to be free.
        const parts = sharedParts.splice(0)
        return { group: group.name, weights, state: state && parts, position: at }
      })
      await restore(opened, first)
    } catch (error) {
      if (!opened.isAlive()) throw error
      await restoreSaved(opened)
    }
  }

  /** What the thread reads a state from: the file, or where there is none its parts. */
  async function readableIn(state: SnapshotInfo | null): Promise<ThreadGroup['state']> {
    return state && (log === null ? readParts(store, state) : state.id)
  }

  /** From the newest state that can be read; where there is none, from the first event on. */
  async function restoreSaved(opened: LearnerThread): Promise<void> {
    const groups = start.groups.map(({ group }) => group)
    for (const states of await commonStates({ store, settings: start.settings }, groups)) {
      try {
        return await restore(opened, await presentGroups(states))
      } catch (error) {
        if (!opened.isAlive()) throw error
        const message = `a state that was saved cannot be read: ${String(error)}`
        logMessage({ level: 'warning', message })
      }
    }
    await restore(opened, await presentGroups([]))
  }

  function presentGroups(states: readonly SnapshotInfo[]): Promise<ThreadGroup[]> {
    return Promise.all(
      start.groups.map(async ({ group: { name, recommender } }, i) => {
        const info = states[i] ?? null
        const state = await readableIn(info)
        const weights = recommender.saveWeights()
        return { group: name, weights, state, position: info?.position ?? 0 }
      }),
    )
  }

  async function follow(live: LearnerThread, upTo: Position): Promise<void> {
    if (log !== null) {
      position = await live.ask('follow', upTo)
      return
    }
    // Leaves out the events that the main thread has left out and logged.
    const onDamaged = (): void => {}
    const options = { upTo, ...(settings.skipDamaged && { onDamaged }) }
    for await (const events of store.read(position, options)) {
      position = await live.ask('receive', events)
    }
  }

  return {
    async at(wanted) {
      const live = thread?.isAlive() === true ? thread : await open()
      if (position < wanted) await follow(live, wanted)
      return live
    },
    get position() {
      return position
    },
    async end() {
      await thread?.end()
    },
  }
}
