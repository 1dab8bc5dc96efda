// Assembles the library API of a service from its parts. After `close`, every call is refused.

import { RenError } from '../core/errors.ts'
import type { Engine } from '../kernels/index.ts'
import type { EventStore, Position } from '../storage/index.ts'
import type { CompleteSettings } from './complete-settings.ts'
import type { Learner } from './learning/learner-types.ts'
import type { Journal, PendingSlates } from './log/journal.ts'
import { createRecord } from './log/record.ts'
import type { TailReview } from './log/review-tail.ts'
import type { Tailer } from './log/tailer.ts'
import { dataFigures } from './metrics/data-figures.ts'
import type { SharingServiceStatus, VariantKind } from './schemas/figures.ts'
import type { ServiceQuality } from './metrics/quality.ts'
import type { ModelApi, Service } from './service.ts'
import { createItemMap } from './serving/item-map.ts'
import { createItemsApi } from './serving/items.ts'
import { createRecommend } from './serving/recommend.ts'
import { createTimeline } from './serving/recommendation-timeline.ts'
import { createUsersApi } from './serving/users.ts'
import { warnOnFailure, type LogHandler } from './settings.ts'
import type { ModelFileProblem } from './state/import-model.ts'
import type { Membership } from './sharing/membership.ts'
import type { Listeners, LiveState } from './state/live-state.ts'
import type { ModelGroup } from './state/model-groups.ts'
import type { ServedWeights } from './state/served-weights.ts'

/** The open parts of a service. */
export interface ServiceParts {
  readonly settings: CompleteSettings
  readonly engine: Engine
  readonly store: EventStore
  readonly state: LiveState
  readonly tailer: Tailer
  readonly journal: Journal
  readonly pendingSlates: PendingSlates
  readonly learner: Learner
  readonly weights: Pick<ServedWeights, 'problems'>
  readonly membership: Membership
  readonly review: TailReview
  readonly quality: ServiceQuality
  readonly listeners: Listeners
  readonly logMessage: LogHandler
  /** Problems of the model file that were found at the start. */
  readonly fileProblems: readonly ModelFileProblem[]
  /** The log position of the restored state. */
  readonly restoredPosition: Position
  /** Aborted when the service closes. */
  readonly closing: AbortController
}

/** @param release Releases the store and the engine, after everything else is closed. */
export function createServiceApi(parts: ServiceParts, release: () => Promise<void>): Service {
  const { settings, store, tailer, listeners, closing } = parts
  const startedAt = settings.clock()
  let closed: Promise<void> | null = null
  return {
    ...createRecommend(parts),
    record: createRecord(parts),
    recommendation: createTimeline(parts),
    items: createItemsApi(parts),
    users: createUsersApi(parts),
    model: createModel(parts),
    ...createFigures(parts),
    itemMap: createItemMap(parts),
    get position() {
      tailer.applyReceived()
      return tailer.position
    },
    subscribe: (listener, kind) => listeners.add(listener, kind),
    health: () => ({ ...healthOf(parts), startedAt }),
    store,
    close() {
      closing.abort(new RenError('service-closed', 'the service is closed'))
      return (closed ??= finish(parts).then(release))
    },
  }
}

/** Begins each call as a read of the state. */
const reading =
  <Arguments extends unknown[], Result>(tailer: Tailer, call: (...args: Arguments) => Result) =>
  (...args: Arguments): Result => {
    tailer.beginRead()
    return call(...args)
  }

function createModel({
  tailer,
  learner: { model },
}: Pick<ServiceParts, 'tailer' | 'learner'>): ModelApi {
  const later =
    <Arguments extends unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> =>
      reading(tailer, call)(...args)
  /** Applies all durable events before training, such as those of an import that has just ended. */
  const withLatest = <Result>(train: (group?: string) => Promise<Result>) =>
    later(async (group?: string) => {
      await tailer.applyLatest()
      return reading(tailer, train)(group)
    })
  return {
    current: reading(tailer, model.current),
    versions: later(model.versions),
    train: withLatest(model.train),
    rollBack: later(model.rollBack),
    training: reading(tailer, model.training),
    trainFully: withLatest(model.trainFully),
    cancelTraining: later(model.cancelTraining),
  }
}

function createFigures({
  tailer,
  state,
  quality,
}: Pick<ServiceParts, 'tailer' | 'state' | 'quality'>) {
  const kindOf = variantKinds(state.groups)
  return {
    metrics: reading(tailer, ({ seriesSeconds }: { readonly seriesSeconds?: number } = {}) => {
      const { variants, ...figures } = state.metrics.past.figures(seriesSeconds)
      const withKinds = variants.map((variant) => ({ ...variant, ...kindOf(variant.name) }))
      return { ...figures, variants: withKinds }
    }),
    compareVariants: reading(tailer, () => {
      const { variants, ...comparison } = state.totals.compare()
      const withKinds = variants.map((variant) => ({ ...variant, ...kindOf(variant.variant) }))
      return { ...comparison, variants: withKinds }
    }),
    quality: reading(tailer, () => quality.report()),
    excludeSeen: reading(tailer, () => state.seenExclusion.status),
    data: reading(tailer, () => dataFigures(state)),
  }
}

function healthOf(parts: ServiceParts) {
  const { journal, tailer, review, learner, quality, state, weights, membership } = parts
  const isClosed = parts.closing.signal.aborted
  tailer.applyReceived()
  const problems = [
    journal.problem,
    tailer.failure?.message,
    tailer.isLate && `the state is ${Math.round(tailer.lag / 1000)} s behind the log`,
    isClosed && 'it is closed',
    ...weights.problems,
  ]
  const reported = problems.filter((problem) => typeof problem === 'string')
  return {
    live: !isClosed,
    ready: reported.length === 0,
    problems: [
      ...reported,
      ...tailer.problems,
      ...membership.problems,
      ...review.problems,
      ...learner.problems,
      ...currentFileProblems(parts),
      ...quality.problems,
    ],
    position: tailer.position,
    items: state.itemCount,
    users: state.userCount,
    role: membership.isLearner ? ('learner' as const) : ('follower' as const),
    lagMs: tailer.lag,
    services: membership.services.map(describeService),
  }
}

/** As `takeRole` announces it. */
interface Announced {
  readonly lagMs?: number
  readonly versions?: SharingServiceStatus['versions']
}

function describeService(service: Membership['services'][number]): SharingServiceStatus {
  const { name, position, joined, silentFor, isLearner, about } = service
  const { lagMs = null, versions = [] } = about as Announced
  const role = isLearner ? 'learner' : 'follower'
  return { name, role, position, joined, silentMs: silentFor, lagMs, versions }
}

/** The problems of groups whose model no full training run has replaced since the start. */
function currentFileProblems({ fileProblems, learner }: ServiceParts): readonly string[] {
  if (fileProblems.length === 0) return []
  const trained = new Map(learner.model.current().map((one) => [one.group, one.trainedOn]))
  return fileProblems
    .filter(({ group, trainedOn }) => trained.get(group) === trainedOn)
    .map(({ message }) => message)
}

async function finish(parts: ServiceParts): Promise<void> {
  const { journal, tailer, review, learner, quality, logMessage, restoredPosition } = parts
  await journal.settled()
  await tailer.close()
  await review.close()
  // If the save fails, no data is lost: the next start replays more of the log.
  const hasChanged = tailer.position > restoredPosition && !tailer.isRewound
  if (hasChanged)
    await warnOnFailure(logMessage, 'the state was not saved', () => learner.saveState())
  await learner.close()
  await quality.close()
}

/** For variants that are in the log but no longer in the settings. */
const unknown: VariantKind = { policy: null, method: null }

/** Maps the name of a variant to its policy and method, by which the dashboard groups variants. */
function variantKinds(groups: readonly ModelGroup[]): (variant: string) => VariantKind {
  const kinds = new Map(
    groups.flatMap(({ variants, policies }) =>
      variants.map(
        ({ name, method }) => [name, { policy: policies.get(name)!.name, method }] as const,
      ),
    ),
  )
  return (variant) => kinds.get(variant) ?? unknown
}
