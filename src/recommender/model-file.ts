// Between the weights of a recommender and model files: what a service learned as a model file, and
// a model file as weights that a recommender serves.

import { readSafetensors } from '../models/index.ts'
import { writeSafetensors } from '../models/files/safetensors.ts'
import type { TensorToWrite } from '../models/files/safetensors.ts'
import { namesIn } from './saved-values.ts'

/** Tensors with a row for each item, after a first row that opens every sequence. */
const itemTables: ReadonlySet<string> = new Set(['items', 'itemBias'])
const isOfModel = (name: string): boolean => itemTables.has(name) || name.startsWith('network.')

/**
 * The model in the weights of a recommender as a model file of its own, each item once.
 *
 * @param notes Texts for the metadata, under names of their own.
 */
export function modelFileFrom(
  weights: Uint8Array,
  notes: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const file = readSafetensors(weights)
  const itemNames = namesIn(file, 'itemNames')
  const rows = [...new Map(itemNames.map((name, row) => [name, row])).values()]
  const tensors = [...file.tensors.keys()]
    .filter(isOfModel)
    .map((name): [string, TensorToWrite] => {
      const [shape, data] = [file.shape(name), file.floats(name)]
      if (!itemTables.has(name)) return [name, { shape, data }]
      const [, columns = 1] = shape
      const gathered = gatherRows(data, columns, [0, ...rows.map((row) => row + 1)])
      return [name, { shape: [rows.length + 1, columns], data: gathered }]
    })
  const { recommender: _, ...metadata } = file.metadata
  return writeSafetensors({
    tensors: new Map(tensors),
    metadata: {
      ...notes,
      ...metadata,
      itemNames: JSON.stringify(rows.map((row) => itemNames[row])),
    },
  })
}

function gatherRows(values: Float32Array, columns: number, rows: readonly number[]): Float32Array {
  const gathered = new Float32Array(rows.length * columns)
  for (const [i, row] of rows.entries()) {
    gathered.set(values.subarray(row * columns, (row + 1) * columns), i * columns)
  }
  return gathered
}
