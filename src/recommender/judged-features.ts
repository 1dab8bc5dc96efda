// What each part of the blend says of every item for one user, to be ranked by each method.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { defaultBlend, memoryFeature, partNames } from '../relevance/index.ts'
import type { BlendWeights } from '../relevance/index.ts'
import type { SlateRows } from './impression-rows.ts'
import type { JudgedMethod, ServedParts } from './prequential.ts'
import type { Relevance } from './relevance.ts'
import type { PartColumns } from './sampled-choice.ts'
import type { UserState } from './user-state.ts'

/** What serves while the fitted blend ranks worse. */
export const fallbackWeights: Readonly<Record<Exclude<ServedParts, 'blend'>, BlendWeights>> = {
  memory: { ...defaultBlend.weights, model: 0 },
  popularity: { model: 0, memory: 0, popularity: 1, clickRate: 1 },
}

/** What the parts of the blend say of every item, for one user. */
export interface Features {
  /** Items that the memory knows something about. */
  readonly remembered: Int32Array
  readonly columns: PartColumns
  readonly itemCount: number
  scores(method: JudgedMethod): Float32Array
  blended(weights: BlendWeights): Float32Array
}

export function featuresOf(
  model: SequenceModel,
  relevance: Relevance,
  user: UserState | undefined,
  theta: Float32Array,
  answered: SlateRows | undefined,
): Features {
  const { itemCount } = model
  const columns = {
    model: modelScores(model, theta),
    memory: new Float32Array(itemCount),
    popularity: Float32Array.from({ length: itemCount }, (_, k) => relevance.popularity(k)),
    clickRate: Float32Array.from({ length: itemCount }, (_, k) => relevance.clickRate(k)),
  }
  if (user) {
    // The slate that is answered is there already: its items count as they did when it was chosen.
    const add = (item: ItemIndex, effect: number): void => {
      columns.clickRate[item]! += effect
    }
    relevance.eachPairEffect(user, add, answered)
  }
  const known = relevance.memory.score(user?.history.column('items') ?? new Int32Array(0))
  const remembered = known.items.slice()
  for (const [i, item] of known.items.entries()) {
    columns.memory[item] = memoryFeature(known.values[i]!, relevance.evidence.itemCount)
  }
  const blended = (weights: BlendWeights): Float32Array => {
    const scores = new Float32Array(itemCount)
    for (const part of partNames) {
      const [column, weight] = [columns[part], weights[part]]
      if (weight === 0) continue
      for (let item = 0; item < itemCount; item++) scores[item]! += weight * column[item]!
    }
    return scores
  }
  return {
    remembered,
    columns,
    itemCount,
    blended,
    scores(method) {
      if (method === 'served') return blended(relevance.served())
      return method === 'popularity' ? blended(fallbackWeights.popularity) : columns[method]
    },
  }
}

/** μᵀθ + b of every item. */
function modelScores(model: SequenceModel, theta: Float32Array): Float32Array {
  const { engine, itemEmbeddings: x, itemCount, dimension, itemBias } = model
  return engine.scope((temporary) => {
    const vector = temporary.vector('theta', dimension)
    const out = temporary.vector('scores', itemCount)
    vector.values.set(theta)
    engine.trusted.dotRows({ x, vector, out })
    const scores = out.values.slice()
    if (itemBias !== null) for (let k = 0; k < itemCount; k++) scores[k]! += itemBias.values[k]!
    return scores
  })
}
