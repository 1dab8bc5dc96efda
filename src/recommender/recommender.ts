// A recommender: a model, an uncertainty estimator, a policy and the state of all users. `recommend`
// answers a request, `observe` applies an event, `fineTune` learns from new events.

import { RenError } from '../core/errors.ts'
import type { ItemsPutEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createCountUncertainty } from '../exploration/index.ts'
import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import { createCatalog } from './catalog.ts'
import { chooseSlate, Decisions } from './decisions.ts'
import { newItemBatches, requireEvent, requireEventNumber } from './events.ts'
import type { ObservedEvent } from './events.ts'
import { explainRelevance } from './relevance-parts.ts'
import { unknownUser } from './decision-inputs.ts'
import { MapSource, mapItems } from './item-map.ts'
import { completeSettings, Learning } from './learning.ts'
import { addItemRows, newItemsIn, requireVector } from './new-items.ts'
import type { NewItems } from './new-items.ts'
import { newlyShown } from './decision-inputs.ts'
import { Prequential } from './prequential.ts'
import { Relevance } from './relevance.ts'
import { requireRequest } from './requests.ts'
import { requireList, requireNew } from './requirements.ts'
import { createStateReader, writeState } from './saved-state.ts'
import type { PartsOwner, SavedState } from './saved-state.ts'
import {
  nothingSaved,
  readSnapshot,
  writeSnapshot,
  writeWeights,
  writeWeightsInParts,
} from './snapshot.ts'
import type { Live, SavedRecommender, Snapshot, Start } from './snapshot.ts'
import { createSimilarItems } from './similar-items.ts'
import { emptyState } from './state.ts'
import { requireMaxPerUser } from './seen-items.ts'
import { applyWeights, createWeightWatch } from './weight-update.ts'
import type {
  Recommender,
  RecommenderBlend,
  RecommenderOptions,
  RecommenderSettings,
} from './recommender-api.ts'

export type * from './recommender-api.ts'

/**
 * Creates a recommender from a model, a policy and optional parts. `createPreset` is shorter for
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
  requireList('itemNames', itemNames)
  if (itemNames.length !== model.itemCount) {
    throw new RenError(
      'shape-mismatch',
      `itemNames must hold ${model.itemCount} names, one an item, got ${itemNames.length}`,
    )
  }
  requireNew('itemNames', itemNames, createCatalog([]))
  const state = emptyState(itemNames, requireMaxPerUser(options.maxPerUser))
  const counters = { seed: String(seed), learntEvents: 0, learntTime: -Infinity, fineTunes: 0 }
  return openRecommender({ model, state, counters }, options, null)
}

/**
 * Restores a saved recommender. With the same settings, it answers exactly as the original. Weights
 * and state may come from different moments: an item that the weights lack starts as a new item.
 *
 * @param saved The bytes of `save()`, or the results of `saveWeights()` and `saveState()`.
 *
 * @example
 * ```ts
 * import { createPreset, presets, restoreRecommender } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 *
 * const engine = await createEngine()
 * const itemNames = ['tea', 'coffee', 'cocoa']
 * const bytes = createPreset(engine, 'ren-g', { itemNames, seed: 1 }).save()
 * const policy = presets['ren-g'].policy(engine)
 * const recommender = restoreRecommender(engine, bytes, { policy })
 * ```
 */
export function restoreRecommender(
  engine: Engine,
  saved: Uint8Array | SavedRecommender,
  settings: RecommenderSettings,
): Recommender {
  const { weights, state } =
    saved instanceof Uint8Array ? { weights: saved, state: [saved] } : saved
  const maxPerUser = requireMaxPerUser(settings.maxPerUser)
  if (state === null) return restoreWith(engine, weights, nothingSaved(maxPerUser), settings)
  const reader = createStateReader(maxPerUser, 'lent')
  for (const part of state) reader.add(part)
  return restoreWith(engine, weights, reader.finish(), settings)
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
  const maxPerUser = requireMaxPerUser(settings.maxPerUser)
  if (state === null) return restoreWith(engine, weights, nothingSaved(maxPerUser), settings)
  const reader = createStateReader(maxPerUser, parts)
  for await (const part of state) reader.add(part)
  return restoreWith(engine, weights, reader.finish(), settings)
}

function restoreWith(
  engine: Engine,
  weights: Uint8Array,
  saved: SavedState,
  settings: RecommenderSettings,
): Recommender {
  const snapshot = readSnapshot(engine, weights, saved)
  const { uncertainty } = settings
  const { length } = snapshot.state.catalog.names
  uncertainty?.restore?.(snapshot.gathered(uncertainty.name), length)
  return openRecommender(snapshot, settings, snapshot)
}

function openRecommender(
  start: Start,
  settings: RecommenderSettings,
  snapshot: Pick<Snapshot, 'deviations' | 'known'> | null,
): Recommender {
  const core = openCore(start, settings, snapshot)
  const { model, state, relevance, decisions, learning, deviations } = core
  const userEmbedding = (user: string): Float32Array => decisions.userEmbedding(user)
  const mapSource = new MapSource({ model, state, relevance, userEmbedding })
  const judge =
    relevance && settings.judge
      ? new Prequential(
          { model, state, relevance, userEmbedding, random: core.random },
          settings.judge,
        )
      : null
  const observe = createObserver(core, mapSource, judge)
  return {
    model,
    state,
    recommend(request) {
      requireRequest(request)
      const requestNumber = request.requestNumber ?? state.users.get(request.user)?.slates ?? 0
      if (model.itemCount === 0) return { items: [], complete: false, requestNumber }
      const asked = decisions.decide(request, requestNumber)
      const { items, ...slate } = chooseSlate(request.policy ?? settings.policy, asked, request)
      const named = items.map((item) => ({ ...item, item: state.catalog.names[item.item]! }))
      return { items: named, ...slate, requestNumber }
    },
    similarItems: createSimilarItems(model, state.catalog, relevance),
    mapItems(limit, user) {
      requirePositiveInteger('limit', limit)
      const columns = {
        ...mapSource.vectors(),
        impressions: state.impressions,
        uncertainty: decisions.uncertainty(),
      }
      const own = user === undefined ? null : mapSource.userVector(user)
      return mapItems(columns, state.catalog, limit, own)
    },
    prepareMap: () => mapSource.prepare(),
    observe,
    blend: relevance && createBlend(core, relevance, judge),
    fineTune: (options) => learning.fineTune(options),
    hasNewEvents: (now) => learning.hasNewEvents(now),
    watchWeights: () => createWeightWatch(model, () => learning.learnt, deviations),
    adopt(update) {
      applyWeights(model, update, deviations)
      learning.adopt(update)
    },
    addItems: (names, { like = [] } = {}) =>
      observe({ kind: 'items-put', items: names.map((item) => ({ item, like })) }),
    removeItems: (items) => observe({ kind: 'items-removed', items }),
    eraseUser: (user) => observe({ kind: 'user-erased', user }),
    ...createSaves(core, start.counters.seed, snapshot === null ? 0 : core.savedItems),
  }
}

type Core = ReturnType<typeof openCore>

/** The parts of a recommender that depend on nothing else. */
function openCore(
  { model, state, counters }: Start,
  settings: RecommenderSettings,
  snapshot: Pick<Snapshot, 'deviations' | 'known'> | null,
) {
  const { uncertainty = createCountUncertainty(), feedback: kind = 'shown' } = settings
  const random = createRandom(counters.seed)
  const deviations = settings.deviations?.(model, (item) => state.impressions[item]!)
  if (snapshot?.deviations) deviations?.table.parameter.value.values.set(snapshot.deviations)
  const savedItems = model.itemCount
  let known = snapshot?.known ?? null
  const addItems = (items: NewItems): void => {
    addItemRows({ model, deviations }, items, random.fork('items'), known)
    if (known !== null && model.itemCount >= known.end) known = null
  }
  addItems({ names: state.catalog.names.slice(model.itemCount) })
  const relevance = settings.blend ? new Relevance(model, state, settings.blend) : null
  if (settings.pauseBlend !== true) relevance?.resume()
  const decisions = new Decisions({
    model,
    state,
    uncertainty,
    deviations,
    relevance,
    random: random.fork('request'),
  })
  const learning = new Learning({
    model,
    state,
    kind,
    settings: completeSettings(settings.fineTune),
    deviations,
    random: random.fork('fine-tune'),
    start: counters,
  })
  const parts = { model, state, uncertainty, deviations, random, relevance, decisions, learning }
  return { ...parts, addItems, savedItems }
}

/** Applies events to everything that follows them. An event that is refused changes nothing. */
function createObserver(core: Core, mapSource: MapSource, judge: Prequential | null) {
  const { model, state, uncertainty, relevance, decisions, learning } = core

  /** Vectors are checked first, so that an event that is refused changes nothing. */
  function putItems(event: ItemsPutEvent, number: number): void {
    const batches = newItemBatches(event.items, state.catalog)
    for (const { item, embedding } of batches.flat()) {
      if (embedding === undefined) continue
      requireVector(`items-put: embedding of ${JSON.stringify(item)}`, embedding, model.dimension)
    }
    for (const items of batches) {
      const added = newItemsIn(items, state.catalog)
      // The estimator first: if it refuses, model and catalog still agree.
      if (added.names.length > 0) uncertainty.addItems?.(added.names.length)
      core.addItems(added)
      state.apply({ ...event, items }, number)
    }
    if (batches.length === 0) state.apply(event, number)
  }

  return (event: ObservedEvent, number = state.events + 1): void => {
    requireEvent(event, state.catalog)
    requireEventNumber(number, state.events)
    if (event.kind === 'items-put') return putItems(event, number)
    if (event.kind === 'interaction' && !relevance?.isPaused) judge?.judge(event)
    if (event.kind === 'user-erased' || event.kind === 'users-merged') mapSource.clear()
    const shown = uncertainty.observe && newlyShown(event, state, decisions, model)
    state.apply(event, number)
    for (const row of shown?.rows ?? []) uncertainty.observe?.(row, shown!.theta)
    learning.observed(event)
  }
}

function createBlend(
  { model, state, decisions }: Core,
  relevance: Relevance,
  judge: Prequential | null,
): RecommenderBlend {
  return {
    get current() {
      return relevance.blend
    },
    set(blend) {
      relevance.set(blend)
      judge?.restart()
    },
    change(blend) {
      // It was judged on held-out interactions; live interactions may decide otherwise later.
      judge?.restart('blend')
      return relevance.change(blend)
    },
    resume: () => relevance.resume(),
    explain: (user, item, among) =>
      explainRelevance(
        { model, relevance, catalog: state.catalog },
        state.users.get(user) ?? unknownUser,
        decisions.userEmbedding(user),
        state.catalog.row(item),
        among,
      ),
    quality: (scope) => judge?.quality(scope) ?? null,
    startVersion: () => judge?.startVersion(),
    get serves() {
      return judge?.serves ?? 'blend'
    },
    get judged() {
      return judge?.judged ?? 0
    },
    saveJudging: () => judge?.save() ?? null,
    restoreJudging: (saved) => judge?.restore(saved),
  }
}

type Saves = Pick<Recommender, 'save' | 'saveWeights' | 'saveWeightsInParts' | 'saveState'>

/** @param savedItems How many items the weights had when they were last saved or restored. */
function createSaves(core: Core, seed: string, savedItems: number): Saves {
  const { model, state, learning, uncertainty, deviations } = core
  const live = (): Live => {
    const counters = { seed, ...learning.learnt }
    return { model, state, counters, uncertainty, deviations }
  }
  let itemsLastSaved = savedItems
  return {
    save: () => writeSnapshot(live()),
    saveWeights() {
      itemsLastSaved = model.itemCount
      return writeWeights(live())
    },
    saveWeightsInParts() {
      itemsLastSaved = model.itemCount
      return writeWeightsInParts(live())
    },
    saveState({ usersPerPart = 500, itemsInWeights = itemsLastSaved } = {}) {
      requirePositiveInteger('usersPerPart', usersPerPart)
      requireCount('itemsInWeights', itemsInWeights)
      return writeState(live(), Math.min(itemsInWeights, model.itemCount), usersPerPart)
    },
  }
}
