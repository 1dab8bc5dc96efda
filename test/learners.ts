// Learners for tests: a minimal main thread that applies events and records all messages of the learner.

import type { Worker } from 'node:worker_threads'

import { createEngine } from 'ren-recommender/kernels'
import type {
  ModelVersion,
  LogMessage,
  ServiceSettings,
  TrainOutcome,
} from 'ren-recommender/service'
import { createMemoryStore } from 'ren-recommender/storage'
import type { EventStore, LogEvent, StoredEvent } from 'ren-recommender/storage'
import { afterEach } from 'vitest'

import { createSplit } from '../src/service/state/model-groups.ts'
import { completeSettings } from '../src/service/complete-settings.ts'
import { Fold } from '../src/service/log/fold.ts'
import type { ModelGroup } from '../src/service/state/model-groups.ts'
import { spawnThread } from '../src/service/learning/thread.ts'
import { openLearner } from '../src/service/learning/learner.ts'
import type { LearnerOptions } from '../src/service/learning/learner.ts'
import { restoreGroups } from '../src/service/state/restore.ts'
import { openServedWeights } from '../src/service/state/served-weights.ts'
import { createLastCall } from '../src/service/training/spare-cores.ts'
import type { Learner } from '../src/service/learning/learner-types.ts'

export interface TestLearner {
  readonly learner: Learner
  readonly store: EventStore
  readonly groups: readonly ModelGroup[]
  readonly logMessages: LogMessage[]
  readonly outcomes: TrainOutcome[]
  readonly training: { readonly group: string; readonly share: number }[]
  readonly versions: ModelVersion[]
  /** The threads in the order in which they started. */
  readonly threads: Worker[]
  /** The time of the clock. */
  time: number
  /** Appends events to the log, applies them and notifies the learner. Slates get the ids s1, s2, … by position. */
  report(...events: readonly LogEvent[]): Promise<void>
  eraseUser(user: string): Promise<void>
  close(): Promise<void>
}

const open = new Set<TestLearner>()

/** Closes everything that a test left open. */
export function closeLearners(): void {
  afterEach(async () => {
    for (const test of open) await test.close()
  })
}

/** By default, it trains and saves only on request. */
export async function startTestLearner(
  given: Partial<ServiceSettings> & { readonly store?: EventStore } = {},
  options: Pick<LearnerOptions, 'trainFully'> = {},
): Promise<TestLearner> {
  const { store = createMemoryStore() } = given
  const seldom = { everyEvents: Infinity, everySeconds: Infinity }
  const observed: Pick<
    TestLearner,
    'logMessages' | 'outcomes' | 'training' | 'versions' | 'threads' | 'time'
  > = {
    logMessages: [],
    outcomes: [],
    training: [],
    versions: [],
    threads: [],
    time: 1_000_000,
  }
  const settings = completeSettings({
    variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 4 } }],
    clock: () => observed.time,
    onLogMessage: (logMessage) => observed.logMessages.push(logMessage),
    ...given,
    store,
    learning: { ...seldom, ...given.learning },
    snapshots: { ...seldom, ...given.snapshots },
  })
  const engine = await createEngine()
  const logMessage = settings.onLogMessage
  const restored = await restoreGroups({ engine, store, settings, logMessage })
  const groups = restored.map(({ group }) => group)
  const split = createSplit(settings)
  const fold = new Fold(groups, split, logMessage)
  let { position } = restored[0]!
  const apply = (events: readonly StoredEvent[]): void => {
    for (const event of events) fold.apply(event)
    position = events.at(-1)!.position
  }
  for await (const events of store.read(position)) apply(events)
  const calls = {
    onOutcome: (outcome: TrainOutcome) => observed.outcomes.push(outcome),
    onTraining: (training: TestLearner['training'][number]) => observed.training.push(training),
    onVersion: (version: ModelVersion) => observed.versions.push(version),
    onHeldOut() {},
    onFailing() {},
    inService: () => ({ live: null, reward: null, slates: 0 }),
  }
  const served = { settings, store, groups: restored, logMessage, ...calls }
  const { signal } = new AbortController()
  const weights = await openServedWeights({ ...served, ended: signal, async deliver() {} })
  for (const one of restored) await weights.versions.saveServed(one)
  const learner = await openLearner(
    { ...served, weights, fromMemory: true, position, lastCall: createLastCall() },
    {
      spawn() {
        const thread = spawnThread()
        observed.threads.push(thread)
        return thread
      },
      patience: 300,
      ...options,
    },
  )
  const test: TestLearner = Object.assign(observed, {
    learner,
    store,
    groups,
    async report(...events: readonly LogEvent[]) {
      const fresh = events.map((event, i) => ({
        event,
        ...(event.kind === 'recommendation' && { id: `s${position + 1 + i}` }),
      }))
      const { results } = await store.append(fresh)
      const stored = fresh.map((one, i) => ({ ...one, position: results[i]!.position }))
      apply(stored)
      learner.consume(stored)
    },
    async eraseUser(user: string) {
      const time = observed.time
      const request = { user, time, variantOf: (name: string) => split.variantOf(name).name }
      const erasure = await store.eraseUser(request)
      fold.eraseUsers(erasure.users, erasure.position)
      const gone = learner.eraseUser(erasure)
      apply([{ position: erasure.position, event: { kind: 'user-erased', time } }])
      learner.consume([{ position: erasure.position, event: { kind: 'user-erased', time } }])
      await gone
    },
    async close() {
      if (!open.delete(test)) return
      await learner.close()
      engine.close()
    },
  })
  open.add(test)
  return test
}

/** Items named 0 to `count` − 1. */
export const itemsPut = (count: number): LogEvent => ({
  kind: 'items-put',
  time: 0,
  items: Array.from({ length: count }, (_, i) => ({ item: String(i) })),
})

export const served = (user: string, items: readonly string[], time: number): LogEvent => ({
  kind: 'recommendation',
  user,
  time,
  items: items.map((item) => ({ item, score: 0, relevance: 0, diversity: 0, uncertainty: 0 })),
  counted: true,
  variant: 'ren',
  policy: 'ren',
  modelVersion: 0,
})

export const feedback = (user: string, item: string, reward: number, time: number): LogEvent => ({
  kind: 'interaction',
  user,
  item,
  reward,
  time,
})

/** Each user sees two items, chooses one of them, and another one that was not shown. */
export function visits(users: number, items: number, time = 1_000_000): LogEvent[] {
  return Array.from({ length: users }, (_, i): LogEvent[] => {
    const [first, second, third] = [i, i + 1, i + 2].map((item) => String(item % items))
    const user = `user-${i}`
    return [
      served(user, [first!, second!], time),
      feedback(user, first!, 1, time),
      feedback(user, third!, 0.5, time),
    ]
  }).flat()
}
