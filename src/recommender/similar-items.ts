// Which items are alike: the cosine of their embeddings.

import { requirePositiveInteger } from '../exploration/requirements.ts'
import type { SequenceModel } from '../models/index.ts'
import type { CatalogueView } from './catalogue.ts'

export interface SimilarItem {
  readonly item: string
  /** From −1 to 1; 0 where an embedding is zero. */
  readonly similarity: number
}

/** Below any cosine. */
const OUT = -2

/** The most similar items that can be recommended, without the item itself. */
export function similarItems(
  { engine, itemEmbeddings: x, itemCount, dimension }: SequenceModel,
  catalogue: CatalogueView,
  name: string,
  count: number,
): readonly SimilarItem[] {
  const own = catalogue.row(name)
  requirePositiveInteger('count', count)
  return engine.scope((temporary) => {
    const vector = temporary.vector('vector', dimension)
    const norms = temporary.vector('norms', itemCount)
    const scores = temporary.vector('cosines', itemCount)
    const most = Math.min(count, itemCount)
    const [indices, values] = [temporary.indices('best', most), temporary.vector('values', most)]
    vector.values.set(x.values.subarray(own * dimension, (own + 1) * dimension))
    engine.operations.rowNorms({ x, out: norms })
    engine.operations.dotRows({ x, vector, out: scores })
    const [lengths, cosines] = [norms.values, scores.values]
    const length = lengths[own]!
    for (let row = 0; row < itemCount; row++) {
      const both = length * lengths[row]!
      cosines[row] = both > 0 ? Math.max(-1, Math.min(1, cosines[row]! / both)) : 0
    }
    for (const row of [own, ...catalogue.removedRows]) cosines[row] = OUT
    engine.operations.topN({ scores, indices, values })
    return Array.from(indices.values, (row, place) => ({
      item: catalogue.names[row]!,
      similarity: values.values[place]!,
    })).filter(({ similarity }) => similarity > OUT)
  })
}
