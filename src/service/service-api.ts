// The faces of a service put together, and its end: after it, every call is refused.

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
import type { Health, ModelApi, Service } from './service.ts'
import { createUsersApi } from './serving/users.ts'

export function createServiceApi(opened: OpenParts, end: () => Promise<void>): Service {
  const { tailer, journal, listeners, review, settings, store, learner } = opened
  const startedAt = settings.clock()
  let closing: Promise<void> | null = null
  const requireOpen = (): void => {
    if (closing !== null) throw new RenError('service-closed', 'the service is closed')
  }
  const parts: ServiceParts = { ...opened, requireOpen }
  const items = createItemsApi(parts)
  const users = createUsersApi(parts)
  const data = createDataFigures(opened, { users: () => users.count, items: () => items.count })
  const kindOf = variantKinds(opened.groups)
  const { recommend, recommendJson } = createRecommend(parts)

  /** Refused after the end. */
  const guarded =
    <Arguments extends unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      requireOpen()
      return call(...args)
    }

  /** Training learns from all that is durable, such as an import that has just ended. */
  const withLatest =
    <Result>(train: (group?: string) => Promise<Result>) =>
    async (group?: string): Promise<Result> => {
      await tailer.applyLatest()
      requireOpen()
      return train(group)
    }

  async function finish(): Promise<void> {
    await journal.settled()
    await tailer.close()
    await review.close()
    try {
      if (tailer.position > opened.restoredPosition) await learner.saveState()
    } catch (error) {
      // Nothing is lost: the log has it all, and the next start reads more of it.
      opened.logMessage({ level: 'warning', message: `the state was not saved: ${String(error)}` })
    }
    await learner.close()
    await opened.quality.close()
    await end()
  }

  /** Until a full training run has replaced the model of the file. */
  function fileProblems(): readonly string[] {
    if (opened.fileProblems.length === 0) return []
    const isServed = (name: string): boolean =>
      learner.model.current().some(({ group, trainedOn }) => group === name && trainedOn === null)
    return opened.fileProblems.filter(({ group }) => isServed(group)).map(({ message }) => message)
  }

  function health(): Health {
    const problems = [journal.problem, tailer.failure?.message, closing && 'it is closed']
    const reported = problems.filter((problem) => typeof problem === 'string')
    return {
      live: closing === null,
      ready: reported.length === 0,
      problems: [
        ...reported,
        ...review.problems,
        ...learner.problems,
        ...fileProblems(),
        ...opened.quality.problems,
      ],
      position: tailer.position,
      items: items.count,
      users: users.count,
      startedAt,
    }
  }

  return {
    recommend: guarded(recommend),
    recommendJson: guarded(recommendJson),
    record: guarded(createRecord(parts)),
    recommendation: guarded(createTimeline(parts)),
    items,
    users,
    model: guardedModel(learner.model),
    metrics({ seriesSeconds } = {}) {
      requireOpen()
      const { variants, ...figures } = opened.metrics.figures(seriesSeconds)
      return {
        ...figures,
        variants: variants.map((variant) => ({ ...variant, ...kindOf(variant.name) })),
      }
    },
    compareVariants() {
      requireOpen()
      const { variants, ...comparison } = opened.totals.compare()
      return {
        ...comparison,
        variants: variants.map((variant) => ({ ...variant, ...kindOf(variant.variant) })),
      }
    },
    quality() {
      requireOpen()
      return opened.quality.report()
    },
    itemMap: createItemMap(parts),
    get position() {
      return tailer.position
    },
    subscribe: listeners.add,
    health,
    excludeSeen() {
      requireOpen()
      return opened.seenExclusion.status
    },
    data() {
      requireOpen()
      return data()
    },
    store,
    close: () => (closing ??= finish()),
  }

  function guardedModel(model: ModelApi): ModelApi {
    return {
      current() {
        requireOpen()
        return model.current()
      },
      versions: guarded(model.versions),
      train: guarded(withLatest(model.train)),
      rollBack: guarded(model.rollBack),
      training() {
        requireOpen()
        return model.training()
      },
      trainFully: guarded(withLatest(model.trainFully)),
      cancelTraining: guarded(model.cancelTraining),
    }
  }
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
