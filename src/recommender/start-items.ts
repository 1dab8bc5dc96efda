// Where item embeddings begin before a full training run: at the factors of the transition memory
// instead of at random. One epoch then gives what several give from a random start
// (docs/decisions/0008-served-relevance.md).

import type { Random } from '../core/random.ts'
import type { History, SequenceModel } from '../models/index.ts'
import { itemFactors } from '../relevance/index.ts'

/** Replaces the random item embeddings of a new model, at the size that they have. */
export function startItemsFromMemory(
  model: SequenceModel,
  histories: readonly History[],
  random: Random,
): void {
  const { values } = model.itemEmbeddings
  const squares = values.reduce((sum, value) => sum + value * value, 0)
  const { itemCount, dimension } = model
  const scale = Math.sqrt(squares / Math.max(1, values.length))
  const items = histories.map((history) => history.items)
  values.set(itemFactors(items, { itemCount, dimension, scale, random }))
  model.markChanged()
}
