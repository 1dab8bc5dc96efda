// Where the relevance of an item comes from: the part of each component of the blend, and the items
// of the user's history that the memory's part rests on.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { memoryFeature } from '../relevance/index.ts'
import type { BlendWeights } from '../relevance/index.ts'
import type { CatalogView } from './catalog.ts'
import type { Relevance, Among } from './relevance.ts'
import type { UserState } from './user-state.ts'

/** Why an item is relevant: the parts of its relevance, and the items of the history behind it. */
export interface RelevanceReasons {
  /** What each component adds; together they are the relevance. */
  readonly parts: BlendWeights
  /** Items of the user's history that the memory's part rests on, the strongest first. */
  readonly because: readonly { readonly item: string; readonly share: number }[]
}

/** How many items of the history are named. */
const maxReasons = 3

export function explainRelevance(
  { model, relevance, catalog }: ExplainedBy,
  user: UserState,
  theta: Float32Array,
  item: ItemIndex,
  among?: Among,
): RelevanceReasons {
  const { memory, evidence } = relevance
  const served = relevance.served(among)
  const reasons = memory.explain(user.history.column('items'), item)
  const total = reasons.reduce((sum, { score }) => sum + score, 0)
  let pairEffect = 0
  relevance.eachPairEffect(user, (other, effect) => {
    if (other === item) pairEffect = effect
  })
  return {
    parts: {
      model: served.model * modelScore(model, theta, item),
      memory: served.memory * memoryFeature(total, evidence.itemCount),
      popularity: served.popularity * relevance.popularity(item),
      clickRate: served.clickRate * (relevance.clickRate(item, among) + pairEffect),
    },
    because: reasons
      .slice(0, served.memory > 0 ? maxReasons : 0)
      .map(({ item: before, score }) => ({ item: catalog.names[before]!, share: score / total })),
  }
}

interface ExplainedBy {
  readonly model: SequenceModel
  readonly relevance: Relevance
  readonly catalog: CatalogView
}

/** μᵀθ + b. */
function modelScore(
  { itemEmbeddings, itemBias, dimension }: SequenceModel,
  theta: Float32Array,
  item: ItemIndex,
): number {
  let score = itemBias?.values[item] ?? 0
  const { values } = itemEmbeddings
  for (let i = 0; i < dimension; i++) score += values[item * dimension + i]! * theta[i]!
  return score
}
