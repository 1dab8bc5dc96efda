// The first vectors of new items.

import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { normal } from '../models/parameter.ts'

/**
 * Adds `count` items to a model. They start at the mean vector of the rows they are `like`; without
 * any, as the architecture's items do, drawn for each row by its number: the same after a restart.
 */
export function addItemRows(
  model: SequenceModel,
  count: number,
  like: readonly ItemIndex[],
  random: Random,
): void {
  const { dimension, itemCount: first } = model
  model.addItems(count)
  const { values } = model.itemEmbeddings
  const mean = like.length > 0 ? meanRow(values, dimension, like) : null
  for (let row = first; row < first + count; row++) {
    const vector = mean ?? startRow(model, random.fork(String(row)))
    values.set(vector, row * dimension)
  }
  model.markChanged()
}

function meanRow(values: Float32Array, dimension: number, rows: readonly ItemIndex[]) {
  return Float32Array.from({ length: dimension }, (_, j) => {
    const sum = rows.reduce((total, row) => total + values[row * dimension + j]!, 0)
    return sum / rows.length
  })
}

function startRow({ architecture, dimension, itemCount }: SequenceModel, random: Random) {
  const draw = architecture.startItems?.(random, itemCount) ?? normal(random, 0.1)
  return Float32Array.from({ length: dimension }, draw)
}
