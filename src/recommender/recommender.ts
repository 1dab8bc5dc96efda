// A model, an uncertainty, a policy and what happened so far: the object that experiments measure
// and that a service serves. `recommend` asks, `observe` tells, `fineTune` learns.

import { RenError } from '../core/errors.ts'
import { createRandom } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createCountUncertainty } from '../exploration/index.ts'
import type {
  ExplorationPolicy,
  RenPolicy,
  ScoredItem,
  Slate,
  UncertaintyEstimator,
} from '../exploration/index.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import { createCatalogue } from './catalogue.ts'
import { createDecisions } from './decisions.ts'
import { requireEvent } from './events.ts'
import type { RenEvent } from './events.ts'
import { completeSettings, createLearning } from './learning.ts'
import type { FineTuneSettings, LearningReport } from './learning.ts'
import type { FeedbackKind } from './lessons.ts'
import { addItemRows } from './new-items.ts'
import { requireRequest } from './requests.ts'
import type { RecommendRequest } from './requests.ts'
import { requireList, requireNew } from './requirements.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'
import type { Start } from './snapshot.ts'
import { createState, emptyState } from './state.ts'
import type { StateContents } from './state.ts'
import { applyWeights, createWeightWatch } from './weight-update.ts'
import type { WeightUpdate, WeightWatch } from './weight-update.ts'

export interface RecommenderSettings {
  readonly policy: ExplorationPolicy
  /** 1/√max(n, 1) of the impressions unless set. */
  readonly uncertainty?: UncertaintyEstimator
  /**
   * Learns σ with the model and hands it to the estimator, for createLearnedUncertainty. Snapshots
   * hold it; one that was saved without starts from the prior.
   */
  readonly deviations?: (
    model: SequenceModel,
    impressions: (item: number) => number,
  ) => ItemDeviations
  readonly fineTune?: Partial<FineTuneSettings>
  /** `shown` unless set: without rewards told for whole slates the same as `selected`. */
  readonly feedback?: FeedbackKind
}

export interface RecommenderOptions extends RecommenderSettings {
  /** In the policy's engine; from here on the recommender's own. */
  readonly model: SequenceModel
  /** What each row of the model is called. */
  readonly itemNames: readonly string[]
  readonly seed: number | string
}

/** A picked item with the reasons, as in `ScoredItem`. */
export type RecommendedItem = Omit<ScoredItem, 'item'> & { readonly item: string }

export interface Recommendation {
  readonly items: readonly RecommendedItem[]
  /** False where fewer items were left than asked for. */
  readonly complete: boolean
  readonly requestNumber: number
}

export interface Recommender {
  readonly model: SequenceModel
  readonly state: StateContents
  /** Changes nothing. */
  recommend(request: RecommendRequest): Recommendation
  observe(event: RenEvent): void
  /**
   * Learns from what was observed; zero steps where nothing was. On an error the old weights are
   * back. `now` is in the clock of the events, and needed where an attribution window is set.
   */
  fineTune(options?: { readonly now?: number }): LearningReport
  /** Whether anything happened that was not learnt from yet. */
  hasNews(now?: number): boolean
  /** Watches the weights from here on, for a twin to `adopt`. */
  watchWeights(): WeightWatch
  /** Takes over what a twin has learnt, one that has the same items or fewer. */
  adopt(update: WeightUpdate): void
  /** Observes `items-added`: new items can be recommended at once. */
  addItems(names: readonly string[], options?: { readonly like?: readonly string[] }): void
  /** Observes `items-removed`. */
  removeItems(names: readonly string[]): void
  /** Observes `user-forgotten`. */
  forgetUser(user: string): void
  /**
   * Weights, state, learned σ and what the estimator gathered, for `restoreRecommender`; the
   * optimiser's moments are not in it.
   */
  save(): Uint8Array<ArrayBuffer>
}

export function createRecommender(options: RecommenderOptions): Recommender {
  const { model, itemNames, seed } = options
  requireList('itemNames', itemNames)
  if (itemNames.length !== model.itemCount) {
    throw new RenError(
      'shape-mismatch',
      `itemNames must hold ${model.itemCount} names, one an item, got ${itemNames.length}`,
    )
  }
  requireNew('itemNames', itemNames, createCatalogue([]))
  const state = emptyState(itemNames)
  const counters = { seed: String(seed), learntEvents: 0, learntTime: -Infinity, fineTunes: 0 }
  return openRecommender({ model, state, counters }, options)
}

/** The recommender that `save` described: given the same settings it answers as that one would. */
export function restoreRecommender(
  engine: Engine,
  snapshot: Uint8Array,
  settings: RecommenderSettings,
): Recommender {
  const { gathered, deviations, ...start } = readSnapshot(engine, snapshot)
  const { uncertainty } = settings
  uncertainty?.restore?.(gathered(uncertainty.name), start.model.itemCount)
  return openRecommender(start, settings, deviations)
}

function openRecommender(
  start: Start,
  settings: RecommenderSettings,
  learnedDeviations: Float32Array | null = null,
): Recommender {
  const { model } = start
  const { seed } = start.counters
  const { policy, uncertainty = createCountUncertainty(), feedback = 'shown' } = settings
  const state = createState(start.state)
  const random = createRandom(seed)
  const deviations = settings.deviations?.(model, (item) => state.impressions[item]!)
  if (learnedDeviations !== null) deviations?.table.parameter.value.values.set(learnedDeviations)
  const decisions = createDecisions(model, state, uncertainty, deviations, random.fork('request'))
  const learning = createLearning({
    model,
    state,
    kind: feedback,
    settings: completeSettings(settings.fineTune),
    deviations,
    random: random.fork('fine-tune'),
    start: start.counters,
  })

  function choose(request: RecommendRequest, requestNumber: number): Slate {
    const decision = decisions.decide(request, requestNumber)
    const { exploration, count } = request
    if (exploration === undefined) return policy.choose(decision, count)
    if (takesOverrides(policy)) return policy.choose(decision, count, exploration)
    throw new RenError(
      'invalid-argument',
      `exploration: the policy ${policy.name} has no settings for one request, ren has`,
    )
  }

  function observe(event: RenEvent): void {
    requireEvent(event, state.catalogue)
    if (event.kind === 'items-added' && event.names.length > 0) {
      const like = (event.like ?? []).map(state.catalogue.row)
      // The estimator first: should it refuse, model and catalogue have not moved apart.
      uncertainty.addItems?.(event.names.length)
      addItemRows(model, event.names.length, like, random.fork('items'))
    }
    // θ as it was when the slate was shown, before anything came of it.
    const theta =
      event.kind === 'shown' && uncertainty.observe ? decisions.userEmbedding(event.user) : null
    state.apply(event)
    if (event.kind === 'shown' && theta !== null) {
      for (const name of event.items) uncertainty.observe?.(state.catalogue.row(name), theta)
    }
    learning.observed(event)
  }

  return {
    model,
    state,
    recommend(request) {
      requireRequest(request)
      const requestNumber = request.requestNumber ?? state.users.get(request.user)?.slates ?? 0
      const { items, complete } = choose(request, requestNumber)
      const named = items.map((item) => ({ ...item, item: state.catalogue.names[item.item]! }))
      return { items: named, complete, requestNumber }
    },
    observe,
    fineTune: ({ now } = {}) => learning.fineTune(now),
    hasNews: learning.hasNews,
    watchWeights: () => createWeightWatch(model, () => learning.learnt, deviations),
    adopt(update) {
      applyWeights(model, update, deviations)
      learning.adopt(update)
    },
    addItems: (names, { like = [] } = {}) => observe({ kind: 'items-added', names, like }),
    removeItems: (names) => observe({ kind: 'items-removed', names }),
    forgetUser: (user) => observe({ kind: 'user-forgotten', user }),
    save: () =>
      writeSnapshot({
        model,
        state,
        counters: { seed, ...learning.learnt },
        uncertainty,
        deviations,
      }),
  }
}

function takesOverrides(policy: ExplorationPolicy): policy is RenPolicy {
  return policy.takesOverrides === true
}
