// The composition root of the service: opens what it works with, in order.

import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createVariantTotals } from './variant-totals.ts'
import { createSplit } from './variants.ts'
import { createCatalogAttributes } from './catalog-attributes.ts'
import { completeSettings, logMessagesOf } from './complete-settings.ts'
import { createFilterRows } from './filter-rows.ts'
import { createFold } from './fold.ts'
import { createTailer } from './tailer.ts'
import type { Tailer } from './tailer.ts'
import type { ModelGroup } from './model-groups.ts'
import { holdMetrics } from './held-metrics.ts'
import { importModel, modelFileProblems } from './import-model.ts'
import { createJournal } from './journal.ts'
import { startLearner } from './learning/learner.ts'
import { createListeners } from './listeners.ts'
import { createLiveMetrics } from './live-metrics.ts'
import { createLiveState, measure, versionName } from './live-state.ts'
import { safeLogging } from './log-messages.ts'
import { createPendingSlates } from './pending-slates.ts'
import { openServiceQuality } from './quality.ts'
import { readAttributes } from './read-catalog.ts'
import { restoreGroups } from './restore.ts'
import type { RestoredGroup } from './restore.ts'
import { reviewTail } from './review-tail.ts'
import { createSeenExclusion } from './seen-exclusion.ts'
import type { Service } from './service.ts'
import { createServiceApi } from './service-api.ts'
import type { OpenParts } from './service-parts.ts'
import type { LogMessage, ServiceSettings } from './settings.ts'
import { shrinkHeap, youngBytes } from './shrink-heap.ts'
import { startStandingModel } from './standing-model.ts'
import { takeStore } from './take-store.ts'
import type { Learner } from './learner.ts'
import { createUserNames } from './user-names.ts'
import type { UserNames } from './user-names.ts'

/** Resolves when it can serve: the log up to its head is known by then. */
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

export interface OpenedService {
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
  const tailer = createTailer({
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
  const journal = createJournal(store, tailer, async (gone) => {
    live.erase(gone, tailer.position)
    await learner?.eraseUser(gone)
  })
  await replay(tailer)
  for (const { group } of restored) group.recommender.blend?.resume()
  const served = await importModel(opened, restored, tailer.position)
  const fileProblems = await modelFileProblems(opened, served)
  for (const { group, facts } of served) {
    quality.versionChanged({ group: group.name, ...facts })
    if (facts.quality !== null) quality.heldOut(group.name, facts.quality)
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
    fold: createFold(groups, split, logMessage),
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
  const start = settings.learning.enabled ? startLearner : startStandingModel
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
    onHeldOut: quality.heldOut,
    logMessage,
    inService: (group, version) => ({
      live: quality.ofVersion(group, version),
      ...metrics.earnings(versionName(group, version)),
    }),
  })
}
