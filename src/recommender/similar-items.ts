// Similar items by two parts of relevance: transitions between two items in the memory, and the
// cosine of their embeddings. Both are normalized for popularity.

import { bestItems } from '../core/rank.ts'
import { requirePositiveInteger } from '../exploration/requirements.ts'
import type { SequenceModel } from '../models/index.ts'
import { Memory, memoryFeature, memoryRule } from '../relevance/index.ts'
import type { BlendWeights, MemoryRule } from '../relevance/index.ts'
import type { CatalogView } from './catalog.ts'
import type { Relevance } from './relevance.ts'

/** An item that is similar to another, with its similarity from −1 to 1. */
export interface SimilarItem {
  /** The name of the similar item. */
  readonly item: string
  /** From −1 to 1: the sum of its parts. */
  readonly similarity: number
  /** The contributions of the model and of the transition memory. */
  readonly parts: SimilarityParts
}

/**
 * The parts of a similarity: from the model's embeddings, and from transitions between the items.
 */
export interface SimilarityParts {
  /** From the cosine of the embeddings; 0 if an embedding is zero. */
  readonly model: number
  /** From transitions between the two items; 0 if the memory has none. */
  readonly memory: number
}

/** Equal powers of row and column totals, so that a popular item is not similar to everything. */
const similarityRule: MemoryRule = { ...memoryRule, rowPower: 0.5, columnPower: 0.5 }

/** The minimum share of the model, so that items without transitions have an order. */
const minModelShare = 0.001

/**
 * Creates a function that finds the items that are most similar to an item, without removed ones
 * and the item itself.
 *
 * @param relevance Null if relevance is the model's alone. Then the similarity is the cosine.
 */
export function createSimilarItems(
  model: SequenceModel,
  catalog: CatalogView,
  relevance: Relevance | null,
): (name: string, count: number) => readonly SimilarItem[] {
  let memory: Memory | null = null

  /** Returns the memory's similarity of each item to one item, from 0 to 1; null if it has none. */
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
    const transitions = transitionsOf(own)
    const share = transitions === null ? 1 : modelShare(relevance!.served('candidates'))
    const cosines = cosinesTo(model, own)
    const partsOf = (row: number): SimilarityParts => ({
      model: share * cosines[row]!,
      memory: transitions === null ? 0 : (1 - share) * transitions[row]!,
    })
    const scores = cosines.map((_, row) => sumOf(partsOf(row)))
    const isExcluded = (row: number) => row === own || catalog.removed.has(row)
    return Array.from(bestItems(scores, count, isExcluded), (row) => {
      const parts = partsOf(row)
      return { item: catalog.names[row]!, similarity: sumOf(parts), parts }
    })
  }
}

const sumOf = ({ model, memory }: SimilarityParts): number => model + memory

/** The share of the model in the weights of model and memory. */
function modelShare({ model, memory }: BlendWeights): number {
  const both = model + memory
  return Math.max(minModelShare, both > 0 ? model / both : 0)
}

/** Returns the cosine of each item's embedding with that of one item; 0 if one of them is zero. */
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
