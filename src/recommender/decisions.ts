// From a request by names to a decision by rows: all that a policy may look at.

import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type { Decision, Evidence, UncertaintyEstimator } from '../exploration/index.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import { nobody } from './histories.ts'
import type { RecommendRequest } from './requests.ts'
import type { StateContents } from './state.ts'
import { createUserEmbeddings } from './user-embeddings.ts'

export interface Decisions {
  decide(request: RecommendRequest, requestNumber: number): Decision
  /** θ of a user now. */
  userEmbedding(user: string): Float32Array
}

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
  const userOf = (name: string) => state.users.get(name) ?? nobody

  /** Removed items are passed over here, so that they need not be excluded. */
  function candidateRows(names: readonly string[]): Int32Array {
    const rows = Int32Array.from(names, (name) => catalogue.row(name))
    return rows.filter((row) => !catalogue.removed.has(row))
  }

  // What was removed and added again has another row, and is the same item to who has seen it.
  function excludedRows(request: RecommendRequest, visited: Int32Array): Int32Array {
    const { candidates, exclude = [], excludeSeen = false } = request
    const rows = new Set<ItemIndex>()
    for (const name of exclude) rows.add(catalogue.row(name))
    if (excludeSeen) for (const item of visited) rows.add(catalogue.row(catalogue.names[item]!))
    if (candidates !== undefined) return Int32Array.from(rows)
    const { removed, removedRows } = catalogue
    const more = [...rows].filter((row) => !removed.has(row))
    if (more.length === 0) return removedRows
    const all = new Int32Array(removedRows.length + more.length)
    all.set(removedRows)
    all.set(more, removedRows.length)
    return all
  }

  function decide(request: RecommendRequest, requestNumber: number): Decision {
    const { candidates } = request
    const user = userOf(request.user)
    const { items: visited, rewards } = user.history.columns()
    const rows = candidates ? candidateRows(candidates) : null
    return {
      items: model.itemEmbeddings,
      itemsVersion: model.version,
      userEmbedding: userEmbeddingOf(user),
      visited,
      rewards,
      uncertainty: uncertaintyNow(rows),
      impressions: state.impressions,
      takes: state.takes,
      candidates: rows,
      excluded: excludedRows(request, visited),
      random: random.fork(request.user).fork(String(requestNumber)),
    }
  }

  return { decide, userEmbedding: (name) => userEmbeddingOf(userOf(name)) }
}

/**
 * ‖σ_k‖∞ of the candidates, or of every item where they are null; the latter is kept until something
 * happens. What stands in the other places is of some time before.
 */
function keepUncertainty(
  estimator: UncertaintyEstimator,
  deviations: ItemDeviations | undefined,
  state: StateContents,
  model: SequenceModel,
): (candidates: Int32Array | null) => Float32Array {
  const learned = deviations && keepDeviations(deviations, model)
  let values = new Float32Array()
  let whole = { events: -1, version: -1 }
  return (candidates) => {
    const { events, impressions } = state
    const { version, itemCount } = model
    if (values.length !== itemCount) values = new Float32Array(itemCount)
    if (whole.events === events && whole.version === version) return values
    const evidence = learned ? evidenceWith(impressions, learned) : { impressions }
    if (candidates) estimator.estimate(evidence, values, candidates)
    else {
      estimator.estimate(evidence, values)
      whole = { events, version }
    }
    return values
  }
}

/** Deviations are worth computing only for an estimator that reads them. */
function evidenceWith(impressions: Float32Array, learned: () => Float32Array): Evidence {
  return {
    impressions,
    get deviations() {
      return learned()
    },
  }
}

/** They move with the weights alone, and cost a look at the whole table. */
function keepDeviations(deviations: ItemDeviations, model: SequenceModel): () => Float32Array {
  let keptVersion = -1
  let values: Float32Array = new Float32Array()
  return () => {
    if (keptVersion !== model.version) {
      values = deviations.deviations()
      keptVersion = model.version
    }
    return values
  }
}
