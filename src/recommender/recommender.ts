// A recommender: a model, an uncertainty estimator, a policy and the state of all users.
// `recommend` answers a request, `observe` applies an event, `fineTune` learns from new events.

import { shapeMismatch } from '../core/errors.ts'
import type { ItemsPutEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createCountUncertainty, type ExplorationPolicy } from '../exploration/index.ts'
import { RewardModel } from '../exploration/reward-model.ts'
import { requirePositiveInteger } from '../exploration/requirements.ts'
import { newItemBatches, addItemRows, newItemsIn, type NewItems } from './catalog.ts'
import { chooseSlate, Decisions } from './decisions.ts'
import { MapSource } from './item-map.ts'
import { completeSettings, Learning } from './learning.ts'
import { Prequential } from './prequential.ts'
import { Relevance } from './relevance.ts'
import {
  requireDistinctNames,
  requireEvent,
  requireEventNumber,
  requireFit,
  requireRequest,
} from './requirements.ts'
import { createStateReader, type PartsOwner, type SavedState } from './saved-state.ts'
import { createSaves, readSnapshot, type SavedRecommender, type Start } from './snapshot.ts'
import { createSimilarItems } from './similar-items.ts'
import { emptyState, requireMaxPerUser, type State } from './state.ts'
import { unknownUser } from './user-state.ts'
import { applyWeights, createWeightWatch } from './weight-update.ts'
import type {
  ObservedEvent,
  Recommendation,
  Recommender,
  RecommenderBlend,
  RecommenderOptions,
  RecommenderSettings,
  RecommendRequest,
} from './recommender-api.ts'

export type * from './recommender-api.ts'

/**
 * Creates a recommender from a model, a policy and optional parts. `createMethod` is shorter for
 * the common combinations.
 *
 * @example
 * ```ts
 * import { createRandom, createRecommender } from 'ren-recommender'
 * import { createRenPolicy } from 'ren-recommender/exploration'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { createSequenceModel, sasrec } from 'ren-recommender/models'
 *
 * const engine = await createEngine()
 * const itemNames = ['tea', 'coffee', 'cocoa']
 * const recommender = createRecommender({
 *   model: createSequenceModel(engine, sasrec(), itemNames.length, createRandom(1)),
 *   policy: createRenPolicy(engine, { weights: { explorationWeight: 0.3 } }),
 *   itemNames,
 *   seed: 1,
 * })
 * recommender.observe({ kind: 'interaction', user: 'ann', item: 'tea', reward: 1, time: Date.now() })
 * recommender.fineTune()
 * ```
 */
export function createRecommender(options: RecommenderOptions): Recommender {
  const { model, itemNames, seed } = options
  requireDistinctNames('itemNames', itemNames)
  if (itemNames.length !== model.itemCount) {
    throw shapeMismatch(
      `itemNames must hold ${model.itemCount} names, one per item, got ${itemNames.length}`,
    )
  }
  const state = emptyState(itemNames, requireMaxPerUser(options.maxPerUser))
  const counters = {
    seed: String(seed),
    trainedUpToEvent: 0,
    trainedUpToTime: -Infinity,
    fineTunes: 0,
  }
  const none = { deviations: null, known: null, savedItems: 0, rewards: null }
  return openRecommender({ model, state, counters, ...none }, options)
}

/**
 * Restores a saved recommender. With the same settings, it answers exactly as the original. Weights
 * and state may come from different moments: an item that the weights lack starts as a new item.
 *
 * @param saved The bytes of `save()`, or the results of `saveWeights()` and `saveState()`.
 *
 * @example
 * ```ts
 * import { createMethod, recommenderSettings, restoreRecommender } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 *
 * const engine = await createEngine()
 * const itemNames = ['tea', 'coffee', 'cocoa']
 * const bytes = createMethod(engine, 'ren-g', { itemNames, seed: 1 }).save()
 * const settings = recommenderSettings(engine, 'ren-g')
 * const recommender = restoreRecommender(engine, bytes, settings)
 * ```
 */
export function restoreRecommender(
  engine: Engine,
  saved: Uint8Array | SavedRecommender,
  settings: RecommenderSettings,
): Recommender {
  const { weights, state } =
    saved instanceof Uint8Array ? { weights: saved, state: [saved] } : saved
  const reader = createStateReader(requireMaxPerUser(settings.maxPerUser), 'lent')
  for (const part of state ?? []) reader.add(part)
  return restoreWith(engine, weights, reader.finish(state === null), settings)
}

/**
 * Restores a recommender from a snapshot that arrives in parts, as a store reads it.
 *
 * @param parts Whether the recommender owns the parts (`given`, the default) or shares them
 *   (`shared`).
 */
export async function restoreFromParts(
  engine: Engine,
  { weights, state }: SavedRecommender<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>,
  settings: RecommenderSettings,
  parts: Exclude<PartsOwner, 'lent'> = 'given',
): Promise<Recommender> {
  const reader = createStateReader(requireMaxPerUser(settings.maxPerUser), parts)
  for await (const part of state ?? []) reader.add(part)
  return restoreWith(engine, weights, reader.finish(state === null), settings)
}

function restoreWith(
  engine: Engine,
  weights: Uint8Array,
  saved: SavedState,
  settings: RecommenderSettings,
): Recommender {
  return openRecommender(readSnapshot(engine, weights, saved), settings)
}

function openRecommender(start: Start, settings: RecommenderSettings): Recommender {
  const core = openCore(start, settings)
  const { model, state, relevance, decisions, learning, deviations, mapSource } = core
  const observe = createObserver(core)
  return {
    model,
    state,
    recommend(request) {
      requireRequest(request)
      return recommend(core, settings.policy, request)
    },
    recommendChecked: (request) => recommend(core, settings.policy, request),
    similarItems: createSimilarItems(model, state.catalog, relevance),
    mapItems(limit, user) {
      requirePositiveInteger('limit', limit)
      return mapSource.mapItems(limit, decisions.uncertainty(), user)
    },
    prepareMap: () => mapSource.prepare(),
    observe,
    blend: relevance && createBlend(core, relevance),
    fineTune: (options) => learning.fineTune(options),
    hasNewEvents: (now) => learning.hasNewEvents(now),
    watchWeights: () => createWeightWatch(model, () => learning.progress, deviations),
    adopt(update) {
      applyWeights(model, update, deviations)
      learning.adopt(update)
    },
    addItems: (names, { like = [] } = {}) =>
      observe({ kind: 'items-put', items: names.map((item) => ({ item, like })) }),
    removeItems: (items) => observe({ kind: 'items-removed', items }),
    eraseUser: (user) => observe({ kind: 'user-erased', user }),
    ...createSaves(core, start.counters.seed, start.savedItems),
  }
}

type Core = ReturnType<typeof openCore>

/** The parts of a recommender. */
function openCore({ model, state, counters, ...start }: Start, settings: RecommenderSettings) {
  const { uncertainty = createCountUncertainty(), feedback = 'shown' } = settings
  const rewards = openRewards(state, start.rewards, settings)
  const random = createRandom(counters.seed)
  const deviations = settings.deviations?.(model, (item) => state.impressions[item]!)
  if (start.deviations) deviations?.table.parameter.value.values.set(start.deviations)
  let { known } = start
  const addItems = (items: NewItems): void => {
    addItemRows({ model, deviations }, items, random.fork('items'), known)
    if (known !== null && model.itemCount >= known.end) known = null
  }
  addItems({ names: state.catalog.names.slice(model.itemCount) })
  const relevance = settings.blend ? new Relevance(model, state, settings.blend) : null
  if (settings.pauseBlend !== true) relevance?.resume()
  const parts = { model, state, uncertainty, deviations, relevance, rewards }
  const decisions = new Decisions({ ...parts, feedback, random: random.fork('request') })
  const learning = new Learning({
    ...parts,
    kind: feedback,
    settings: completeSettings(settings.fineTune),
    random: random.fork('fine-tune'),
    start: counters,
  })
  const userEmbedding = (user: string): Float32Array => decisions.userEmbedding(user)
  const mapSource = new MapSource({ ...parts, userEmbedding })
  const prequential =
    relevance && settings.judge
      ? new Prequential({ model, state, relevance, userEmbedding }, settings.judge)
      : null
  return { ...parts, decisions, learning, mapSource, prequential, addItems }
}

/**
 * Opens the reward model that the policy reads, if it reads one. It continues a saved one of the same
 * objective, and otherwise starts without evidence.
 */
function openRewards(
  state: State,
  saved: Start['rewards'],
  {
    policy,
    rewardObjective = policy.rewardObjective,
    rewardSource = policy.rewardSource,
  }: RecommenderSettings,
): RewardModel | null {
  const rewards =
    rewardObjective === undefined
      ? null
      : new RewardModel(rewardObjective, state.catalog.names.length, rewardSource)
  const continues = saved?.objective === rewardObjective && rewards?.restore(saved!.arrays) === true
  state.teach(rewards, continues)
  return rewards
}

function recommend(
  { model, state, decisions }: Core,
  ownPolicy: ExplorationPolicy,
  request: RecommendRequest,
): Recommendation {
  const { user, count, pin, policy = ownPolicy } = request
  if (pin !== undefined) requireFit(pin, count)
  const requestNumber = request.requestNumber ?? state.users.get(user)?.slates ?? 0
  if (model.itemCount === 0) return { items: [], complete: false, requestNumber }
  const decided = decisions.decide(request, requestNumber)
  const { items, ...slate } = chooseSlate(policy, decided, request)
  const named = items.map((item) => ({ ...item, item: state.catalog.names[item.item]! }))
  return { items: named, ...slate, requestNumber }
}

/**
 * Creates `observe`, which applies an event to all parts. An event that is refused changes nothing.
 */
function createObserver(core: Core) {
  const { model, state, relevance, learning, mapSource, prequential } = core

  function putItems(event: ItemsPutEvent, number: number): void {
    const batches = newItemBatches(event.items, state.catalog)
    for (const items of batches) {
      core.addItems(newItemsIn(items, state.catalog))
      state.applyChecked({ ...event, items }, number)
    }
    if (batches.length === 0) state.applyChecked(event, number)
  }

  return (event: ObservedEvent, number = state.events + 1): void => {
    requireEvent(event, state.catalog, model.dimension)
    requireEventNumber(number, state.events)
    if (event.kind === 'items-put') return putItems(event, number)
    if (event.kind === 'interaction' && !relevance?.isPaused) prequential?.evaluate(event)
    if (event.kind === 'user-erased' || event.kind === 'users-merged') mapSource.clear()
    state.applyChecked(event, number)
    learning.newEvents.observed(event)
  }
}

const createExplain =
  (
    state: Core['state'],
    decisions: Core['decisions'],
    relevance: Relevance,
  ): RecommenderBlend['explain'] =>
  (user, item, among) =>
    relevance.explain(
      state.users.get(user) ?? unknownUser,
      decisions.userEmbedding(user),
      state.catalog.row(item),
      among,
    )

function createBlend(
  { state, decisions, prequential }: Core,
  relevance: Relevance,
): RecommenderBlend {
  return {
    get current() {
      return relevance.blend
    },
    set(blend) {
      relevance.set(blend)
      prequential?.restart()
    },
    change(blend) {
      // The new blend was judged on held-out interactions; live interactions may overrule that
      // later.
      prequential?.restart('blend')
      return relevance.change(blend)
    },
    follow(blend, serves) {
      prequential?.follow(serves)
      return relevance.change(blend)
    },
    setDecides(value) {
      if (prequential) prequential.decides = value
    },
    resume: () => relevance.resume(),
    explain: createExplain(state, decisions, relevance),
    quality: (scope) => prequential?.quality(scope) ?? null,
    startVersion: () => prequential?.startVersion(),
    get serves() {
      return prequential?.serves ?? 'blend'
    },
    get judged() {
      return prequential?.judged ?? 0
    },
    saveJudging: () => prequential?.save() ?? null,
    restoreJudging: (saved) => prequential?.restore(saved),
  }
}
