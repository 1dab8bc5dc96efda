// What each part of the blend says of every item for one user, to be ranked by each method.

import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { defaultBlend, memoryFeature, partNames } from '../relevance/index.ts'
import type { BlendWeights, Choice, PartName } from '../relevance/index.ts'
import type { CatalogView } from './catalog.ts'
import type { JudgedMethod, ServedParts } from './prequential.ts'
import type { Relevance, Among } from './relevance.ts'
import type { SlateRows } from './seen-items.ts'
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

// One choice against a sample of the catalog, for fitting the weights of a blend: some of the items
// that the memory knows, some of the others, each standing for those of its kind that were not drawn.

/** What the parts say of every item; a part that is missing says 0. */
export type PartColumns = Readonly<Partial<Record<PartName, Float32Array>>>

export interface SampledChoice {
  readonly columns: PartColumns
  /** Items that the memory knows something about. */
  readonly remembered: Int32Array
  /** The chosen item. */
  readonly item: ItemIndex
  /** Items that could not be chosen. */
  readonly seen: ReadonlySet<ItemIndex>
  readonly itemCount: number
  /** The largest number of items drawn of those that the memory knows. */
  readonly nearItems: number
  /** Items drawn from the whole catalog, of which those of the other kind count. */
  readonly farDraws: number
  readonly random: Random
}

export function sampledChoice(sample: SampledChoice): Choice {
  const { columns, item, seen, itemCount, nearItems, farDraws, random } = sample
  const isOther = (other: ItemIndex): boolean => other !== item && !seen.has(other)
  const remembered = sample.remembered.filter(isOther)
  const isRemembered = new Set(remembered)
  const near = draw(remembered, nearItems, random)
  const all = Int32Array.from(random.choose(Math.min(farDraws, itemCount), itemCount))
  const far = all.filter((other) => isOther(other) && !isRemembered.has(other))
  const farCount = Math.max(0, itemCount - seen.size - remembered.length - 1)
  const counts = [
    ...Array.from(near, () => remembered.length / near.length),
    ...Array.from(far, () => farCount / far.length),
  ]
  return choiceOf(columns, item, [...near, ...far], counts)
}

/**
 * A choice of an item among others.
 *
 * @param counts How many items each of the others stands for. Defaults to 1.
 */
export function choiceOf(
  columns: PartColumns,
  item: ItemIndex,
  others: readonly ItemIndex[],
  counts: readonly number[] = others.map(() => 1),
): Choice {
  const rows = [item, ...others]
  const features = new Float32Array(rows.length * partNames.length)
  for (const [row, of] of rows.entries()) {
    for (const [i, part] of partNames.entries()) {
      features[row * partNames.length + i] = columns[part]?.[of] ?? 0
    }
  }
  return { features, counts: Float32Array.of(1, ...counts) }
}

function draw(items: Int32Array, most: number, random: Random): Int32Array {
  if (items.length <= most) return items
  return Int32Array.from(random.choose(most, items.length), (at) => items[at]!)
}

// Where the relevance of an item comes from: the part of each component of the blend, and the items
// of the user's history that the memory's part rests on.

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

export interface ExplainedBy {
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
