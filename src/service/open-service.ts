// The composition root of the service: opens its parts in order and connects them.

import { RenError } from '../core/errors.ts'
import { createEngine } from '../kernels/index.ts'
import { openStore, type EventStore, type Lease, type Position } from '../storage/index.ts'
import { completeSettings, logMessagesOf, type CompleteSettings } from './complete-settings.ts'
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
import { safeLogging, type LogHandler, type ServiceSettings } from './settings.ts'
import { Membership, type MembershipOptions } from './sharing/membership.ts'
import { eraseOnce, prepareWith } from './sharing/prepare-events.ts'
import { openRebuilt, type OpenState } from './sharing/rebuilt-service.ts'
import { followLease, Roles } from './sharing/roles.ts'
import { importModel, modelFileProblems } from './state/import-model.ts'
import { Listeners, LiveState, versionName } from './state/live-state.ts'
import {
  restoreGroups,
  type Context as RestoreContext,
  type RestoredGroup,
} from './state/restore.ts'
import { startServedModel } from './state/served-model.ts'
import { openServedWeights, type ServedWeights } from './state/served-weights.ts'
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
export async function openWithGroups(
  settings: ServiceSettings,
  { leaseMs }: Pick<MembershipOptions, 'leaseMs'> = {},
) {
  const complete = completeSettings(settings)
  const listeners = new Listeners()
  const logMessage = logTo(complete, listeners)
  for (const message of logMessagesOf(complete)) logMessage(message)
  const { store, claimed, release } = await claimStore(complete.store)
  const { shared } = store
  const duration = leaseMs === undefined ? {} : { leaseMs }
  const membership = new Membership({ shared, settings: complete, logMessage, ...duration })
  const outer = { settings: complete, store, logMessage, listeners, membership }
  const end = async (): Promise<void> => {
    await membership.close()
    await release()
  }
  try {
    const open = async () => {
      if (shared === null) return openState(outer, claimed, () => {}, end)
      await claimed
      await membership.join()
      return openRebuilt({
        open: (onRewound) => openState(outer, claimed, onRewound),
        withdraw: () => membership.withdraw(),
        logMessage,
        end,
      })
    }
    const opened = await open()
    // An import or a long replay leaves a large heap. No request waits yet.
    if (youngBytes() > 2 ** 25) shrinkHeap()
    return opened
  } catch (error) {
    await end()
    throw error
  }
}

/** Passes log messages on to the owner of the service, and to its listeners. */
function logTo({ onLogMessage }: CompleteSettings, listeners: Listeners): LogHandler {
  const notifyOwner = safeLogging(onLogMessage)
  return (message) => {
    notifyOwner(message)
    listeners.notify({ kind: 'log', message })
  }
}

/** The parts that stay when the state is rebuilt. */
interface Outer extends Omit<RestoreContext, 'engine'> {
  readonly listeners: Listeners
  readonly membership: Membership
}

/** The parts that are open before the log is read. */
interface Context extends RestoreContext, Outer {
  /** The head of the log before anything was read. */
  readonly startedAt: Position
  readonly onRewound: (error: RenError) => void
}

/** Restores the state from the store, and opens a service on it. */
async function openState(
  outer: Outer,
  claimed: Promise<void>,
  onRewound: (error: RenError) => void,
  end?: () => Promise<void>,
): Promise<OpenState> {
  const engine = await createEngine()
  try {
    const startedAt = await outer.store.head()
    const context = { ...outer, engine, startedAt, onRewound }
    const restored = await restoreGroups(context)
    await claimed
    const service = await openRestored(context, restored, async () => {
      engine.close()
      await end?.()
    })
    return { service, groups: restored.map(({ group }) => group) }
  } catch (error) {
    engine.close()
    throw error
  }
}

/** Reads the log after the restored state, then starts the learner and the service. */
async function openRestored(
  context: Context,
  restored: readonly RestoredGroup[],
  release: () => Promise<void>,
): Promise<Service> {
  const { settings, store, membership } = context
  const restoredPosition = restored[0]!.position
  const groups = restored.map(({ group }) => group)
  const attributes = await openAttributes(context)
  const closing = new AbortController()
  const pendingSlates = new PendingSlates()
  const { clock, skipDamaged } = settings
  const position = (): Position => tailer.position
  const isLearner = (): boolean => membership.isLearner
  const quality = await openServiceQuality({ ...context, groups, clock, position, isLearner })
  const figures = figuresFor(context, quality, () => state)
  const weights = await openServedWeights({
    ...context,
    ...figures,
    groups: restored,
    ended: closing.signal,
    async deliver(event) {
      tailer.committed([event])
      await tailer.reached(event.position, deliverMs)
    },
  })
  const state = new LiveState({ ...context, groups, attributes, weights })
  const lastCall = createLastCall()
  const training = { weights, groups: restored, lastCall }
  const start = new LearnerStarter({ ...context, ...figures, ...training })
  const roles = new Roles({
    ...context,
    groups,
    weights,
    startLearner: (lease) => start.start(lease, tailer),
    append: (events) => journal.append(events),
  })
  const erase = eraseOnce(async (gone) => {
    state.erase(gone, tailer.position)
    await roles.eraseUser(gone)
  })
  const tailer = new Tailer({
    ...context,
    ...prepareWith(context, weights, erase),
    position: restoredPosition,
    skipDamaged,
    consumers: [pendingSlates, state, quality, roles] satisfies Consumer[],
    ended: closing.signal,
    lastCall,
  })
  const services = store.shared === null ? undefined : () => membership.services.length
  const journal = new Journal(store, tailer, erase, services)
  await tailer.catchUp()
  if (tailer.failure !== null) throw tailer.failure
  for (const { recommender } of groups) recommender.blend?.resume()
  await takeRole(context, start, roles, tailer)
  const fileProblems = await modelFileProblems(context, start.groups)
  startFigures(quality, start.groups)
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
  const parts = { ...context, ...log, state, learner: roles, weights, quality, fileProblems }
  return createServiceApi(parts, release)
}

function startFigures(quality: ServiceQuality, groups: readonly RestoredGroup[]): void {
  for (const { group, facts } of groups) {
    const figures = quality.of(group.name)
    figures.versionChanged(facts.origin)
    if (facts.quality !== null) figures.setHeldOut(facts.quality)
  }
}

async function openAttributes({ store, settings, logMessage }: Context) {
  const skipItem = (item: string): void =>
    logMessage({ level: 'error', message: `the damaged attributes of item ${item} are skipped` })
  return new CatalogAttributes(
    await readAttributes(store, settings.skipDamaged ? skipItem : undefined),
  )
}

/** Milliseconds to wait until published weights serve in this service. */
const deliverMs = 60_000

/** Announces the service with its state. The learner imports the model file, and starts to train. */
async function takeRole(
  { membership, logMessage }: Context,
  start: LearnerStarter,
  roles: Roles,
  tailer: Tailer,
): Promise<void> {
  let onLease: (lease: Lease | null) => void = () => {}
  await membership.enter({
    position: () => tailer.position,
    about: () => ({
      lagMs: tailer.lag,
      versions: roles.model.current().map(({ group, version }) => ({ group, version })),
      training: roles.model.training(),
    }),
    onLease: (lease) => onLease(lease),
  })
  const { isLearner, lease } = membership
  if (isLearner) {
    await start.importModel(lease, tailer.position)
    await roles.lead(lease)
  } else start.releaseMemory()
  onLease = followLease(roles, membership, logMessage)
  if (membership.lease?.epoch !== lease?.epoch) onLease(membership.lease)
}

/** Receives what happens to models, and knows the figures of versions. */
function figuresFor(
  { listeners }: Context,
  quality: ServiceQuality,
  state: () => LiveState,
): FigureCalls {
  return {
    onTraining: (training) => listeners.notify({ kind: 'training', ...training }),
    onOutcome: (outcome) => listeners.notify({ kind: 'learning', group: outcome.group, outcome }),
    onVersion(version) {
      quality.of(version.group).versionChanged(version.origin)
      listeners.notify({ kind: 'model', version })
    },
    onHeldOut: (group, judged) => quality.of(group).setHeldOut(judged),
    inService: (group, version) => ({
      live: quality.of(group).ofVersion(version),
      ...state().metrics.past.rewardOf(versionName(group, version)),
    }),
  }
}

type FigureCalls = Pick<LearnerStart, 'onTraining' | 'onOutcome' | 'onHeldOut' | 'inService'> &
  Pick<Parameters<typeof openServedWeights>[0], 'onVersion'>

interface StarterOptions extends Context, FigureCalls, Pick<LearnerStart, 'lastCall'> {
  readonly weights: ServedWeights
  readonly groups: readonly RestoredGroup[]
}

/** Starts the learner of a service: at first from the memory of the restored groups, later from the store. */
class LearnerStarter {
  readonly #options: StarterOptions
  #groups: readonly RestoredGroup[]
  #isFirst = true

  constructor(options: StarterOptions) {
    this.#options = options
    this.#groups = options.groups
  }

  /** The restored groups, with imported weights. */
  get groups(): readonly RestoredGroup[] {
    return this.#groups
  }

  async importModel(lease: Lease | null, position: Position): Promise<void> {
    const { weights, store } = this.#options
    const leading = leadingWith(store, lease)
    this.#groups = await importModel({ ...this.#options, leading }, this.#groups, position)
    for (const [i, one] of this.#groups.entries()) {
      if (one !== this.#options.groups[i]) await weights.versions.open(one)
    }
  }

  async start(lease: Lease | null, tailer: Tailer): Promise<Learner> {
    const { weights, settings, store, membership } = this.#options
    const fromMemory = this.#isFirst
    if (store.shared !== null) await tailer.applyLatest()
    weights.leading = leadingWith(store, lease)
    weights.decides = true
    if (fromMemory && settings.learning.enabled) {
      for (const one of this.#groups) await weights.versions.saveServed(one)
    }
    const groups = fromMemory ? this.#groups : this.#groups.map(withoutMemory)
    this.#isFirst = false
    const start = settings.learning.enabled ? startLearner : startServedModel
    const onFailing = (): void => void membership.resign()
    const role = { groups, weights, fromMemory, onFailing, position: tailer.position }
    return start({ ...this.#options, ...role })
  }

  /** Frees what only a learner would have used. */
  releaseMemory(): void {
    this.#isFirst = false
    this.#options.weights.decides = false
    for (const { sharedParts } of this.#groups) sharedParts.splice(0)
  }
}

const withoutMemory = ({ group, facts }: RestoredGroup): RestoredGroup => ({
  group,
  facts,
  weights: new Uint8Array(),
  state: null,
  sharedParts: [],
  position: 0,
})

const leadingWith = ({ shared }: EventStore, lease: Lease | null) =>
  shared !== null && lease !== null ? { shared, lease } : null

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
