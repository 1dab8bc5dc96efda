// The composition root of the service: opens what it works with, in order.

import { RenError } from '../core/errors.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { openStore } from '../storage/index.ts'
import type { EventStore } from '../storage/index.ts'
import { completeSettings, logMessagesOf } from './complete-settings.ts'
import type { Learner } from './learning/learner-types.ts'
import { startLearner } from './learning/learner.ts'
import { shrinkHeap, youngBytes } from './learning/shrink-heap.ts'
import { Fold } from './log/fold.ts'
import { Journal } from './log/journal.ts'
import { reviewTail } from './log/review-tail.ts'
import { Tailer } from './log/tailer.ts'
import { createVariantTotals } from './metrics/compare-variants.ts'
import { createListeners } from './metrics/listeners.ts'
import { holdMetrics, createLiveMetrics } from './metrics/live-metrics.ts'
import { openServiceQuality } from './metrics/quality.ts'
import { createServiceApi } from './service-api.ts'
import type { OpenParts } from './service-parts.ts'
import type { Service } from './service.ts'
import { createCatalogAttributes, readAttributes } from './serving/catalog-attributes.ts'
import { createFilterRows } from './serving/filter.ts'
import { createPendingSlates } from './serving/pending-slates.ts'
import { createSeenExclusion } from './serving/seen-exclusion.ts'
import { createUserNames } from './serving/user-names.ts'
import type { UserNames } from './serving/user-names.ts'
import { createSplit } from './serving/variants.ts'
import { safeLogging } from './settings.ts'
import type { LogMessage, ServiceSettings } from './settings.ts'
import { importModel, modelFileProblems } from './state/import-model.ts'
import { createLiveState, measure, versionName } from './state/live-state.ts'
import type { ModelGroup } from './state/model-groups.ts'
import { restoreGroups } from './state/restore.ts'
import type { RestoredGroup } from './state/restore.ts'
import { startServedModel } from './state/served-model.ts'

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

/** The same with what its state is made of, for whoever compares states. */
export async function openWithGroups(settings: ServiceSettings): Promise<OpenedService> {
  const complete = completeSettings(settings)
  const listeners = createListeners()
  const tellOwner = safeLogging(complete.onLogMessage)
  const logMessage = (message: LogMessage): void => {
    tellOwner(message)
    listeners.tell({ kind: 'log', message })
  }
  for (const message of logMessagesOf(complete)) logMessage(message)
  const { store, claimed, release } = await takeStore(complete.store)
  let engine: Engine | null = null
  const end = async (): Promise<void> => {
    engine?.close()
    await release()
  }
  try {
    engine = await createEngine()
    const opened = { settings: complete, store, engine, logMessage, listeners }
    const parts = await openParts(opened, claimed)
    // After an import or a long replay, and before any request waits.
    if (youngBytes() > 2 ** 25) shrinkHeap()
    return { service: createServiceApi(parts, end), groups: parts.groups }
  } catch (error) {
    await end()
    throw error
  }
}

interface OpenedService {
  readonly service: Service
  readonly groups: readonly ModelGroup[]
}

type Opened = Pick<OpenParts, 'settings' | 'store' | 'engine' | 'logMessage' | 'listeners'>

async function openParts(opened: Opened, claimed: Promise<void>): Promise<OpenParts> {
  const { settings, store, logMessage } = opened
  const restored = await restoreGroups(opened)
  await claimed
  const restoredPosition = restored[0]!.position
  const known = await openState(opened, restored)
  const pendingSlates = createPendingSlates()
  let learner: Learner | null = null
  const live = createLiveState({ ...opened, ...known, isLive: () => learner !== null })
  const quality = await openServiceQuality({
    ...opened,
    ...known,
    clock: settings.clock,
    position: () => tailer.position,
  })
  const tailer = new Tailer({
    store,
    position: restoredPosition,
    skipDamaged: settings.skipDamaged,
    logMessage,
    apply(events) {
      pendingSlates.applied(events)
      live.apply(events)
      quality.followed()
      learner?.follow(events)
    },
  })
  const journal = new Journal(store, tailer, async (gone) => {
    live.erase(gone, tailer.position)
    await learner?.eraseUser(gone)
  })
  await replay(tailer)
  for (const { group } of restored) group.recommender.blend?.resume()
  const served = await importModel(opened, restored, tailer.position)
  const fileProblems = await modelFileProblems(opened, served)
  for (const { group, facts } of served) {
    quality.versionChanged({ group: group.name, ...facts })
    if (facts.quality !== null) quality.setHeldOut(group.name, facts.quality)
  }
  learner = await openLearner(opened, served, tailer, { ...known, quality })
  tailer.start()
  quality.start()
  const review = reviewTail({
    ...opened,
    ...known,
    upTo: restoredPosition,
    skipDamaged: settings.skipDamaged,
    measure: (event, metrics) => measure(event, { ...known, metrics }),
  })
  const parts = { ...opened, ...known, tailer, journal, pendingSlates, learner, review, quality }
  return { ...parts, fileProblems, restoredPosition }
}

/** Everything derived from the log: it changes with each event. */
async function openState(
  { settings, store, logMessage }: Opened,
  restored: readonly RestoredGroup[],
) {
  const split = createSplit(settings)
  const groups = restored.map(({ group }) => group)
  const byName = new Map(groups.map((group) => [group.name, group]))
  const { catalog } = groups[0]!.recommender.state
  const attributes = createCatalogAttributes(await readAttributes(store))
  const variants = settings.variants.map(({ name }) => name)
  return {
    split,
    groups,
    groupOf: (variant: string) => byName.get(split.groupOf(variant)!)!,
    catalog,
    attributes,
    filterRows: createFilterRows(attributes, catalog),
    fold: new Fold(groups, split, logMessage),
    totals: createVariantTotals(settings, split, groups),
    seenExclusion: createSeenExclusion(settings, groups),
    userNames: namesIn(groups),
    metrics: holdMetrics(createLiveMetrics({ variants, clock: settings.clock })),
  }
}

function namesIn(groups: readonly ModelGroup[]): UserNames {
  const maps = groups.map(({ recommender }) => recommender.state.users)
  function* everybody(): Generator<string> {
    for (const users of maps) yield* users.keys()
  }
  return createUserNames(everybody, (user) => maps.some((users) => users.has(user)))
}

async function replay(tailer: Tailer): Promise<void> {
  await tailer.catchUp()
  if (tailer.failure !== null) throw tailer.failure
}

function openLearner(
  { settings, store, logMessage, listeners }: Opened,
  groups: readonly RestoredGroup[],
  { position }: Tailer,
  { metrics, quality }: Pick<OpenParts, 'metrics' | 'quality'>,
): Promise<Learner> {
  const start = settings.learning.enabled ? startLearner : startServedModel
  return start({
    settings,
    store,
    groups,
    position,
    onTraining: (training) => listeners.tell({ kind: 'training', ...training }),
    onOutcome: (outcome) => listeners.tell({ kind: 'learning', group: outcome.group, outcome }),
    onVersion(version) {
      quality.versionChanged(version)
      listeners.tell({ kind: 'model', version })
    },
    onHeldOut: (group, judged) => quality.setHeldOut(group, judged),
    logMessage,
    inService: (group, version) => ({
      live: quality.ofVersion(group, version),
      ...metrics.earnings(versionName(group, version)),
    }),
  })
}

// Opens the store if a location is given, and claims it until the service closes.

interface TakenStore {
  readonly store: EventStore
  /** Until it resolves the store may be read and no more: it may be another's. */
  readonly claimed: Promise<void>
  /** Closes the store if it was opened here. */
  release(): Promise<void>
}

/** Stores of this process that a service has; a claim keeps other processes out. */
const taken = new WeakSet<EventStore>()

async function takeStore(given: string | EventStore): Promise<TakenStore> {
  const store = typeof given === 'string' ? await openStore(given) : given
  const close = async (): Promise<void> => {
    if (store !== given) await store.close()
  }
  if (taken.has(store)) {
    await close()
    throw new RenError('store-in-use', `another service of this process has ${store.location}`)
  }
  taken.add(store)
  const claimed = store.claim()
  claimed.catch(() => {}) // reported when its turn comes
  return {
    store,
    claimed,
    async release() {
      taken.delete(store)
      await close()
    },
  }
}
