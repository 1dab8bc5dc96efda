// From a request by names to a decision by rows: all that a policy may look at.

import type { Random } from '../core/random.ts'
import type { Interaction, ItemIndex } from '../core/types.ts'
import type { Decision, RenOptions, UncertaintyEstimator } from '../exploration/index.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import { inColumns } from './histories.ts'
import type { StateContents } from './state.ts'
import { createUserEmbeddings } from './user-embeddings.ts'

export interface RecommendRequest {
  /** One who was never heard of has an empty history. */
  readonly user: string
  readonly count: number
  /** Names to pick from; the whole catalogue unless set. Removed items are passed over. */
  readonly candidates?: readonly string[]
  readonly exclude?: readonly string[]
  /** Whether to leave out what is in the user's history. */
  readonly excludeSeen?: boolean
  /** Other settings for this one request, where the policy is REN. */
  readonly exploration?: Partial<RenOptions>
  /**
   * Chance depends on the seed, the user and this number alone; unless set, it is how many slates
   * the user was shown. So a question asked twice has one answer, and a slate shown another next.
   */
  readonly requestNumber?: number
}

export interface Decisions {
  decide(request: RecommendRequest, requestNumber: number): Decision
  /** θ of a user now. */
  userEmbedding(user: string): Float32Array
}

const noHistory: readonly Interaction[] = []

export function createDecisions(
  model: SequenceModel,
  state: StateContents,
  estimator: UncertaintyEstimator,
  deviations: ItemDeviations | undefined,
  random: Random,
): Decisions {
  const { catalogue } = state
  const userEmbeddingOf = createUserEmbeddings(model)
  const uncertaintyNow = keepUncertainty(estimator, deviations, state, model)
  const historyOf = (user: string) => state.users.get(user)?.history ?? noHistory

  function excludedRows(request: RecommendRequest, visited: Int32Array): Int32Array {
    const { exclude = [], excludeSeen = false } = request
    const rows = new Set<ItemIndex>(catalogue.removed)
    for (const name of exclude) rows.add(catalogue.row(name))
    if (excludeSeen) for (const item of visited) rows.add(item)
    return Int32Array.from(rows)
  }

  function decide(request: RecommendRequest, requestNumber: number): Decision {
    const { user, candidates } = request
    const history = historyOf(user)
    const { items: visited, rewards } = inColumns(history)
    return {
      items: model.itemEmbeddings,
      itemsVersion: model.version,
      userEmbedding: userEmbeddingOf(history),
      visited,
      rewards,
      uncertainty: uncertaintyNow(),
      impressions: state.impressions,
      takes: state.takes,
      candidates: candidates ? Int32Array.from(candidates, (name) => catalogue.row(name)) : null,
      excluded: excludedRows(request, visited),
      random: random.fork(user).fork(String(requestNumber)),
    }
  }

  return { decide, userEmbedding: (user) => userEmbeddingOf(historyOf(user)) }
}

/** ‖σ_k‖∞ of every item, kept until something happens. */
function keepUncertainty(
  estimator: UncertaintyEstimator,
  deviations: ItemDeviations | undefined,
  state: StateContents,
  model: SequenceModel,
): () => Float32Array {
  let kept = { events: -1, version: -1, values: new Float32Array() }
  return () => {
    const { events, impressions } = state
    const { version, itemCount } = model
    if (kept.events !== events || kept.version !== version) {
      const values = kept.values.length === itemCount ? kept.values : new Float32Array(itemCount)
      const learned = deviations && { deviations: deviations.deviations() }
      estimator.estimate({ impressions, ...learned }, values)
      kept = { events, version, values }
    }
    return kept.values
  }
}
