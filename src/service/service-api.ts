// The library API of a service, put together from its parts. After `close` every call is refused.

import { RenError } from '../core/errors.ts'
import { createDataFigures } from './metrics/data-figures.ts'
import { createItemMap } from './serving/item-map.ts'
import { createItemsApi } from './serving/items.ts'
import type { VariantKind } from './metrics/metrics.ts'
import type { ModelGroup } from './state/model-groups.ts'
import { createRecommend } from './serving/recommend.ts'
import { createTimeline } from './serving/recommendation-timeline.ts'
import { createRecord } from './log/record.ts'
import type { OpenParts, ServiceParts } from './service-parts.ts'
import type { ModelApi, Service } from './service.ts'
import type { Tailer } from './log/tailer.ts'
import { createUsersApi } from './serving/users.ts'

/** @param end Releases what was opened before the parts. */
export function createServiceApi(opened: OpenParts, end: () => Promise<void>): Service {
  let closing: Promise<void> | null = null
  const requireOpen = (): void => {
    if (closing !== null) throw new RenError('service-closed', 'the service is closed')
  }
  const { tailer, settings, learner } = opened
  const startedAt = settings.clock()
  const parts: ServiceParts = { ...opened, requireOpen }
  const guarded = guardWith(requireOpen)
  const items = createItemsApi(parts)
  const users = createUsersApi(parts)
  const data = createDataFigures(opened, { users: () => users.count, items: () => items.count })
  const { recommend, recommendJson } = createRecommend(parts)
  return {
    recommend: guarded(recommend),
    recommendJson: guarded(recommendJson),
    record: guarded(createRecord(parts)),
    recommendation: guarded(createTimeline(parts)),
    items,
    users,
    model: guardModel(learner.model, requireOpen, tailer),
    ...createFigures(parts),
    itemMap: createItemMap(parts),
    get position() {
      return tailer.position
    },
    subscribe: opened.listeners.add,
    health: () => ({
      ...healthOf(opened, closing !== null),
      items: items.count,
      users: users.count,
      startedAt,
    }),
    data() {
      requireOpen()
      return data()
    },
    store: opened.store,
    close: () => (closing ??= finish(opened).then(end)),
  }
}

/** Wraps calls that are refused after the end. */
const guardWith =
  (requireOpen: () => void) =>
  <Arguments extends unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
  async (...args: Arguments): Promise<Result> => {
    requireOpen()
    return call(...args)
  }

function guardModel(model: ModelApi, requireOpen: () => void, tailer: Tailer): ModelApi {
  const guarded = guardWith(requireOpen)
  /** Training learns from all that is durable, such as an import that has just ended. */
  const withLatest = <Result>(train: (group?: string) => Promise<Result>) =>
    guarded(async (group?: string) => {
      await tailer.applyLatest()
      requireOpen()
      return train(group)
    })
  return {
    current() {
      requireOpen()
      return model.current()
    },
    versions: guarded(model.versions),
    train: withLatest(model.train),
    rollBack: guarded(model.rollBack),
    training() {
      requireOpen()
      return model.training()
    },
    trainFully: withLatest(model.trainFully),
    cancelTraining: guarded(model.cancelTraining),
  }
}

type Figures = Pick<Service, 'metrics' | 'compareVariants' | 'quality' | 'excludeSeen'>

function createFigures(
  dependencies: Pick<
    ServiceParts,
    'groups' | 'metrics' | 'totals' | 'quality' | 'seenExclusion' | 'requireOpen'
  >,
): Figures {
  const { groups, metrics, totals, quality, seenExclusion, requireOpen } = dependencies
  const kindOf = variantKinds(groups)
  return {
    metrics({ seriesSeconds } = {}) {
      requireOpen()
      const { variants, ...figures } = metrics.figures(seriesSeconds)
      const withKinds = variants.map((variant) => ({ ...variant, ...kindOf(variant.name) }))
      return { ...figures, variants: withKinds }
    },
    compareVariants() {
      requireOpen()
      const { variants, ...comparison } = totals.compare()
      const withKinds = variants.map((variant) => ({ ...variant, ...kindOf(variant.variant) }))
      return { ...comparison, variants: withKinds }
    },
    quality() {
      requireOpen()
      return quality.report()
    },
    excludeSeen() {
      requireOpen()
      return seenExclusion.status
    },
  }
}

function healthOf(
  opened: Pick<OpenParts, 'journal' | 'tailer' | 'review' | 'learner' | 'quality' | 'fileProblems'>,
  isClosed: boolean,
) {
  const { journal, tailer, review, learner, quality } = opened
  const problems = [journal.problem, tailer.failure?.message, isClosed && 'it is closed']
  const reported = problems.filter((problem) => typeof problem === 'string')
  return {
    live: !isClosed,
    ready: reported.length === 0,
    problems: [
      ...reported,
      ...review.problems,
      ...learner.problems,
      ...fileProblems(opened),
      ...quality.problems,
    ],
    position: tailer.position,
  }
}

/** Until a full training run has replaced the model of the file. */
function fileProblems({
  fileProblems: problems,
  learner,
}: Pick<OpenParts, 'fileProblems' | 'learner'>): readonly string[] {
  if (problems.length === 0) return []
  const isServed = (name: string): boolean =>
    learner.model.current().some(({ group, trainedOn }) => group === name && trainedOn === null)
  return problems.filter(({ group }) => isServed(group)).map(({ message }) => message)
}

async function finish(opened: OpenParts): Promise<void> {
  const { journal, tailer, review, learner, logMessage, restoredPosition } = opened
  await journal.settled()
  await tailer.close()
  await review.close()
  try {
    if (tailer.position > restoredPosition) await learner.saveState()
  } catch (error) {
    // Nothing is lost: the log has it all, and the next start reads more of it.
    logMessage({ level: 'warning', message: `the state was not saved: ${String(error)}` })
  }
  await learner.close()
  await opened.quality.close()
}

// The policy and method of each variant, next to its figures: the page compares and draws variants of
// one policy together.

/** Of a variant that the settings do not have, whose slates are in the log, nothing is known. */
const unknown: VariantKind = { policy: null, method: null }

/** The kind of a variant, by its name. */
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
