// Which items are similar, by the same parts as relevance: transitions between two items in the
// memory, and the cosine of their embeddings. Popularity is divided out of both.

import { requirePositiveInteger } from '../exploration/requirements.ts'
import type { SequenceModel } from '../models/index.ts'
import { Memory, memoryFeature, memoryRule } from '../relevance/index.ts'
import type { BlendWeights, MemoryRule } from '../relevance/index.ts'
import type { CatalogView } from './catalog.ts'
import type { Relevance } from './relevance.ts'

/** An item that is similar to another, with its similarity from −1 to 1. */
export interface SimilarItem {
  readonly item: string
  /** From −1 to 1: the sum of its parts. */
  readonly similarity: number
  readonly parts: SimilarityParts
}

/**
 * The parts of a similarity: from the model's embeddings, and from transitions between the items.
 */
export interface SimilarityParts {
  /** From the cosine of the embeddings; 0 where an embedding is zero. */
  readonly model: number
  /** From transitions between the two items; 0 where the memory has none. */
  readonly memory: number
}

/** Rows and columns are divided by equal powers, so that a popular item is not similar to everything. */
const similarityRule: MemoryRule = { ...memoryRule, rowPower: 0.5, columnPower: 0.5 }

/** The model counts at least this much, so that items without transitions have an order. */
const minModelShare = 0.001

/** Below any similarity. */
const OUT = -2

/**
 * Finds the most similar items that can be recommended, without the item itself.
 *
 * @param relevance Null where relevance is the model's alone: then the cosine is the similarity.
 */
export function createSimilarItems(
  model: SequenceModel,
  catalog: CatalogView,
  relevance: Relevance | null,
): (name: string, count: number) => readonly SimilarItem[] {
  let memory: Memory | null = null

  /** What the memory knows about an item, from 0 to 1 by row; null where it knows nothing. */
  function transitionsOf(row: number): Float32Array | null {
    if (relevance === null) return null
    const { transitions } = relevance.memory
    if (memory?.transitions !== transitions) memory = new Memory(transitions, similarityRule)
    const { items, values } = memory.score(Int32Array.of(row))
    const { itemCount } = relevance.evidence
    const full = memoryFeature(1, itemCount)
    const column = new Float32Array(model.itemCount)
    for (let i = 0; i < items.length; i++) {
      column[items[i]!] = memoryFeature(values[i]!, itemCount) / full
    }
    return items.some((item) => item !== row) ? column : null
  }

  return (name, count) => {
    const own = catalog.row(name)
    requirePositiveInteger('count', count)
    const known = transitionsOf(own)
    const share = known === null ? 1 : modelShare(relevance!.served('candidates'))
    const cosines = cosinesTo(model, own)
    const partsOf = (row: number): SimilarityParts => ({
      model: share * cosines[row]!,
      memory: known === null ? 0 : (1 - share) * known[row]!,
    })
    const scores = cosines.map((_, row) => sumOf(partsOf(row)))
    for (const row of [own, ...catalog.removedRows]) scores[row] = OUT
    return bestRows(model, scores, count).map((row) => {
      const parts = partsOf(row)
      return { item: catalog.names[row]!, similarity: sumOf(parts), parts }
    })
  }
}

const sumOf = ({ model, memory }: SimilarityParts): number => model + memory

/** How much the model counts beside the memory, as in relevance. */
function modelShare({ model, memory }: BlendWeights): number {
  const both = model + memory
  return Math.max(minModelShare, both > 0 ? model / both : 0)
}

/** The cosine of each item's embedding with that of one item; 0 where one of them is zero. */
function cosinesTo(
  { engine, itemEmbeddings: x, itemCount, dimension }: SequenceModel,
  own: number,
): Float32Array {
  return engine.scope((temporary) => {
    const vector = temporary.vector('vector', dimension)
    const norms = temporary.vector('norms', itemCount)
    const scores = temporary.vector('cosines', itemCount)
    vector.values.set(x.values.subarray(own * dimension, (own + 1) * dimension))
    engine.operations.rowNorms({ x, out: norms })
    engine.operations.dotRows({ x, vector, out: scores })
    const length = norms.values[own]!
    return scores.values.map((score, row) => {
      const both = length * norms.values[row]!
      return both > 0 ? Math.max(-1, Math.min(1, score / both)) : 0
    })
  })
}

/** The rows with the highest scores, the highest first, without those that are out. */
function bestRows({ engine, itemCount }: SequenceModel, scores: Float32Array, count: number) {
  return engine.scope((temporary) => {
    const all = temporary.vector('similarities', itemCount)
    const most = Math.min(count, itemCount)
    const [indices, values] = [temporary.indices('best', most), temporary.vector('values', most)]
    all.values.set(scores)
    engine.operations.topN({ scores: all, indices, values })
    return Array.from(indices.values).filter((_, place) => values.values[place]! > OUT)
  })
}
