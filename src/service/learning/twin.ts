// The main thread's side of the twin: what it is asked for, one job at a time, and when it learns
// and saves by itself.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../../storage/index.ts'
import type { StartTwin, Twin, TwinStart } from '../twin.ts'
import { createJobQueue } from './job-queue.ts'
import { keepThread } from './live-thread.ts'
import { createModelFace } from './model-face.ts'
import { saveStates } from './save-states.ts'
import { startSchedule } from './schedule.ts'
import { spawnThread } from './thread.ts'
import type { SpawnThread, TwinThread } from './thread.ts'
import { createUpdates } from './updates.ts'
import { openVersions } from './versions.ts'

export const startTwin: StartTwin = (start) => openTwin(start, spawnThread)

/** How long the end waits for what the thread is at, in milliseconds. */
const patience = 5000

/** `spawn` is how a thread is started. */
export async function openTwin(start: TwinStart, spawn: SpawnThread): Promise<Twin> {
  const { settings, notice } = start
  const groups = start.groups.map(({ group }) => group)
  const closing = new AbortController()
  const { signal } = closing
  const versions = await openVersions(start)
  const updates = createUpdates(start, versions)
  const queue = createJobQueue(signal)
  const live = keepThread({ start, log: logOf(start), spawn, signal })
  /** What the main thread has applied; of users who are to be forgotten, only up to before. */
  let applied: Position = start.position
  const forgetting = new Set<Position>()

  function withThread<T>(job: (thread: TwinThread) => Promise<T>): Promise<T> {
    return queue.run(async () => job(await live.at(Math.min(applied, ...before(forgetting)))))
  }

  /** For jobs that nobody waits for. A thread that has died was told of. */
  async function attempt<T>(what: string, job: () => Promise<T>): Promise<T | null> {
    try {
      return await job()
    } catch (error) {
      const code = error instanceof RenError ? error.code : undefined
      if (signal.aborted || code === 'worker-failed') return null
      const message = `${what} failed: ${String(error)}`
      notice({ level: 'error', message, ...(code !== undefined && { code }) })
      return null
    }
  }

  async function learn(): Promise<boolean> {
    let more = false
    for (const group of groups) {
      const learnt = await attempt(`learning for ${group.name}`, () =>
        withThread((thread) => updates.learn(thread, group)),
      )
      more ||= learnt !== null && learnt.outcome.outcome === 'learnt' && learnt.waiting > 0
    }
    return more
  }

  async function saveState(): Promise<void> {
    const save = (thread: TwinThread) => saveStates(start, thread, live.position)
    while (!(await withThread(save))) signal.throwIfAborted()
  }

  const schedules = [
    startSchedule(settings.snapshots, async (events) => {
      if (events > 0) await attempt('saving the state', saveState)
      return false
    }),
    ...(settings.learning.enabled ? [startSchedule(settings.learning, learn)] : []),
  ]

  return {
    model: createModelFace({ groups, versions, updates, withThread }),
    follow(events) {
      applied = events.at(-1)?.position ?? applied
      for (const schedule of schedules) schedule.heard(events.length)
    },
    saveState,
    async forgetUsers(users, position) {
      forgetting.add(position)
      // A thread that dies meanwhile is followed by one that never knew them, or has to forget them.
      while (!signal.aborted) {
        const forgotten = await queue.run(async () => {
          const thread = await live.at(position)
          await thread.ask('forget', { users, position })
        })
      }
      forgetting.delete(position)
    },
    async close() {
      for (const schedule of schedules) schedule.stop()
      closing.abort(new RenError('store-closed', 'the service was closed'))
      await Promise.race([queue.settled(), delay(patience, undefined, { ref: false })])
      await live.end()
      await queue.settled()
    },
  }
}
