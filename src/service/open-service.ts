// The composition root of the service: opens its parts in order and connects them.

import { RenError } from '../core/errors.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { openStore, type EventStore, type Position } from '../storage/index.ts'
import { completeSettings, logMessagesOf } from './complete-settings.ts'
import type { Learner, LearnerStart } from './learning/learner-types.ts'
import { startLearner } from './learning/learner.ts'
import { shrinkHeap, youngBytes } from './learning/shrink-heap.ts'
import { Journal, PendingSlates } from './log/journal.ts'
import { TailReview } from './log/review-tail.ts'
import { Tailer, type Consumer } from './log/tailer.ts'
import { openServiceQuality, type ServiceQuality } from './metrics/quality.ts'
import { createServiceApi } from './service-api.ts'
import type { Service } from './service.ts'
import { CatalogAttributes, readAttributes } from './serving/catalog-attributes.ts'
import { safeLogging, type LogMessage, type ServiceSettings } from './settings.ts'
import { importModel, modelFileProblems } from './state/import-model.ts'
import { Listeners, LiveState, versionName } from './state/live-state.ts'
import {
  restoreGroups,
  type Context as RestoreContext,
  type RestoredGroup,
} from './state/restore.ts'
import { startServedModel } from './state/served-model.ts'
import { createLastCall } from './training/spare-cores.ts'

/**
 * Opens a service on a store. It resolves when the service knows the whole log and can serve.
 *
 * @example
 * ```ts
 * import { openService } from 'ren-recommender/service'
 *
 * const service = await openService({ store: 'data/ren.db' })
 * await service.items.put([{ item: 'tea' }, { item: 'cocoa', attributes: { hot: true } }])
 * const { recommendationId, items } = await service.recommend({ user: 'ann', count: 1 })
 * if (recommendationId !== null) {
 *   await service.record([{ user: 'ann', item: items[0]!.item, reward: 1, recommendationId }])
 * }
 * await service.close()
 * ```
 */
export async function openService(settings: ServiceSettings): Promise<Service> {
  return (await openWithGroups(settings)).service
}

/** Like {@link openService}, and also returns the model groups, for tests that compare states. */
export async function openWithGroups(settings: ServiceSettings) {
  const complete = completeSettings(settings)
  const listeners = new Listeners()
  const notifyOwner = safeLogging(complete.onLogMessage)
  const logMessage = (message: LogMessage): void => {
    notifyOwner(message)
    listeners.notify({ kind: 'log', message })
  }
  for (const message of logMessagesOf(complete)) logMessage(message)
  const { store, claimed, release } = await claimStore(complete.store)
  let engine: Engine | null = null
  const end = async (): Promise<void> => {
    engine?.close()
    await release()
  }
  try {
    engine = await createEngine()
    const context = { settings: complete, store, engine, logMessage, listeners }
    const restored = await restoreGroups(context)
    await claimed
    const service = await openRestored(context, restored, end)
    // An import or a long replay leaves a large heap. No request waits yet.
    if (youngBytes() > 2 ** 25) shrinkHeap()
    return { service, groups: restored.map(({ group }) => group) }
  } catch (error) {
    await end()
    throw error
  }
}

/** The parts that are open before the log is read. */
interface Context extends RestoreContext {
  readonly listeners: Listeners
}

/** Reads the log after the restored state, then starts the learner and the service. */
async function openRestored(
  context: Context,
  restored: readonly RestoredGroup[],
  release: () => Promise<void>,
): Promise<Service> {
  const { settings, store, logMessage } = context
  const restoredPosition = restored[0]!.position
  const groups = restored.map(({ group }) => group)
  const skipItem = (item: string): void =>
    logMessage({ level: 'error', message: `the damaged attributes of item ${item} are skipped` })
  const attributes = new CatalogAttributes(
    await readAttributes(store, settings.skipDamaged ? skipItem : undefined),
  )
  const state = new LiveState({ ...context, groups, attributes })
  const pendingSlates = new PendingSlates()
  const { clock, skipDamaged } = settings
  const position = (): Position => tailer.position
  const quality = await openServiceQuality({ ...context, groups, clock, position })
  const consumers: Consumer[] = [pendingSlates, state, quality]
  const closing = new AbortController()
  const lastCall = createLastCall()
  const tailer = new Tailer({
    ...context,
    position: restoredPosition,
    skipDamaged,
    consumers,
    ended: closing.signal,
    lastCall,
  })
  let learner: Learner | null = null
  const journal = new Journal(store, tailer, async (gone) => {
    state.erase(gone, tailer.position)
    await learner?.eraseUser(gone)
  })
  await tailer.catchUp()
  if (tailer.failure !== null) throw tailer.failure
  for (const { recommender } of groups) recommender.blend?.resume()
  const served = await importModel(context, restored, tailer.position)
  const fileProblems = await modelFileProblems(context, served)
  for (const { group, facts } of served) {
    const figures = quality.of(group.name)
    figures.versionChanged(facts.origin)
    if (facts.quality !== null) figures.setHeldOut(facts.quality)
  }
  const training = { groups: served, position: tailer.position, lastCall }
  learner = await openLearner(context, training, state, quality)
  consumers.push(learner)
  state.isLive = true
  tailer.start()
  quality.start()
  const review = new TailReview({
    ...context,
    upTo: restoredPosition,
    skipDamaged,
    metrics: state.metrics,
    measure: (event, metrics) => state.measure(event, metrics),
  })
  const log = { tailer, journal, pendingSlates, review, restoredPosition, closing }
  return createServiceApi({ ...context, ...log, state, learner, quality, fileProblems }, release)
}

function openLearner(
  { settings, store, logMessage, listeners }: Context,
  restored: Pick<LearnerStart, 'groups' | 'position' | 'lastCall'>,
  { metrics }: LiveState,
  quality: ServiceQuality,
): Promise<Learner> {
  const start = settings.learning.enabled ? startLearner : startServedModel
  return start({
    settings,
    store,
    ...restored,
    onTraining: (training) => listeners.notify({ kind: 'training', ...training }),
    onOutcome: (outcome) => listeners.notify({ kind: 'learning', group: outcome.group, outcome }),
    onVersion(version) {
      quality.of(version.group).versionChanged(version.origin)
      listeners.notify({ kind: 'model', version })
    },
    onHeldOut: (group, judged) => quality.of(group).setHeldOut(judged),
    logMessage,
    inService: (group, version) => ({
      live: quality.of(group).ofVersion(version),
      ...metrics.past.rewardOf(versionName(group, version)),
    }),
  })
}

/** The stores that services of this process use. `EventStore.claim` excludes other processes. */
const openStores = new WeakSet<EventStore>()

/** Opens the store if `given` is a location, and claims it until the service closes. */
async function claimStore(given: string | EventStore) {
  const store = typeof given === 'string' ? await openStore(given) : given
  const close = async (): Promise<void> => {
    if (store !== given) await store.close()
  }
  if (openStores.has(store)) {
    await close()
    throw new RenError('store-in-use', `another service of this process uses ${store.location}`)
  }
  openStores.add(store)
  const claimed = store.claim()
  claimed.catch(() => {}) // the caller awaits it later
  return {
    store,
    /** Until this resolves, only read: another process may own the store. */
    claimed,
    /** Closes the store if it was opened here. */
    async release(): Promise<void> {
      openStores.delete(store)
      await close()
    },
  }
}
