// From a request by names to a decision by rows: all that a policy may look at.

import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type { Decision, UncertaintyEstimator } from '../exploration/index.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import { readAskedItems } from './asked-items.ts'
import type { PinnedRow } from './asked-items.ts'
import { unknownUser } from './histories.ts'
import { cacheUncertainty } from './uncertainty-cache.ts'
import type { Relevance } from './relevance.ts'
import type { RecommendRequest } from './requests.ts'
import { seenItems } from './seen-items.ts'
import type { State } from './state.ts'
import { createUserEmbeddings } from './user-embeddings.ts'
import type { UserState } from './user-state.ts'

export interface Asked {
  /** What is pinned may not be picked. */
  readonly decision: Decision
  /** Those that hold. */
  readonly pins: readonly PinnedRow[]
}

export interface Decisions {
  decide(request: RecommendRequest, requestNumber: number): Asked
  /** θ of a user now. */
  userEmbedding(user: string): Float32Array
  /** ‖σ_k‖∞ of every item now, not to be written to. */
  uncertainty(): Float32Array
}

export function createDecisions(
  model: SequenceModel,
  state: State,
  estimator: UncertaintyEstimator,
  deviations: ItemDeviations | undefined,
  random: Random,
  relevance: Relevance | null,
): Decisions {
  const { catalog } = state
  const userEmbeddingOf = createUserEmbeddings(model)
  const uncertaintyNow = cacheUncertainty(estimator, deviations, state, model)
  const userOf = (name: string) => state.users.get(name) ?? unknownUser

  /** θ and offsets, so that relevance = μᵀθ + offsets. */
  function relevanceTo(
    user: UserState,
    candidates: readonly ItemIndex[] | null,
  ): Pick<Decision, 'userEmbedding' | 'offsets'> {
    if (relevance === null) {
      const bias = model.itemBias?.values
      return { userEmbedding: userEmbeddingOf(user), ...(bias && { offsets: bias }) }
    }
    const { model: weight } = relevance.served()
    const offsets = relevance.offsets(user, candidates)
    // To read a history costs more than a slate: not for a model that does not count.
    if (weight === 0) {
      return { userEmbedding: new Float32Array(model.dimension), offsets }
    }
    const theta = userEmbeddingOf(user)
    // 0 times a number that is not finite would be NaN, for every item.
    const isFinite = theta.every(Number.isFinite)
    return {
      userEmbedding: theta.map((value) => (isFinite ? weight * value : 0)),
      offsets,
    }
  }

  /** Removed items are passed over here, so that they need not be excluded. */
  function candidateRows(named: Int32Array | null, among: Int32Array | undefined) {
    const rows = named ?? among
    if (rows === undefined) return null
    const both = named !== null && among !== undefined ? new Set(among) : null
    const { removed } = catalog
    if (both === null && removed.size === 0) return rows
    return rows.filter((row) => !removed.has(row) && (both === null || both.has(row)))
  }

  /** Candidates hold no removed items; the whole catalog does. */
  function excludedRows(barred: ReadonlySet<ItemIndex>, hasCandidates: boolean): Int32Array {
    if (hasCandidates) return Int32Array.from(barred)
    const { removed, removedRows } = catalog
    const more = [...barred].filter((row) => !removed.has(row))
    if (more.length === 0) return removedRows
    const all = new Int32Array(removedRows.length + more.length)
    all.set(removedRows)
    all.set(more, removedRows.length)
    return all
  }

  function decide(request: RecommendRequest, requestNumber: number): Asked {
    const user = userOf(request.user)
    const { items: visited, rewards } = user.history.columns()
    const { boosts, ...asked } = readAskedItems(request, catalog)
    const candidates = candidateRows(asked.candidates, request.among)
    const barred = new Set(seenItems(user, request.excludeSeen))
    for (const row of asked.excluded) barred.add(row)
    const pins = asked.pins.filter(({ row }) => !catalog.removed.has(row) && !barred.has(row))
    for (const { row } of pins) barred.add(row)
    const uncertainty = uncertaintyNow()
    const decision = {
      items: model.itemEmbeddings,
      itemsVersion: model.version,
      ...relevanceTo(
        user,
        asked.candidates && [...asked.candidates, ...pins.map(({ row }) => row)],
      ),
      visited,
      rewards,
      past: { key: user.history, dropped: user.history.dropped },
      uncertainty: uncertainty.values,
      uncertaintyVersion: uncertainty.version,
      impressions: state.impressions,
      takes: state.takes,
      candidates,
      excluded: excludedRows(barred, candidates !== null),
      boosts,
      random: random.fork(request.user).fork(String(requestNumber)),
    }
    return { decision, pins }
  }

  return {
    decide,
    userEmbedding: (name) => userEmbeddingOf(userOf(name)),
    uncertainty: () => uncertaintyNow().values,
  }
}
