// Imports weights that were trained elsewhere, such as in PyTorch.

import { shapeMismatch } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import type { SettingsInput } from '../../core/settings.ts'
import type { Matrix } from '../../core/types.ts'
import type { Engine } from '../../kernels/index.ts'
import { gru4recParity } from '../gru4rec-parity.ts'
import { matrixFactorization } from '../matrix-factorization.ts'
import { createSequenceModel, type Architecture } from '../sequence-model.ts'
import { finite, requireDistinct, requireNames, type NamedModel } from './model-file.ts'
import { malformed, quote } from './safetensors-header.ts'
import { readSafetensors, type TensorFile } from './safetensors.ts'

/** The names of a GRU's tensors in the file, and the names of the items. */
export interface ImportOptions {
  /** The tensor that holds the item embeddings, K × d. */
  readonly items: string
  /** The tensor that holds the item biases, K. Defaults to no biases. */
  readonly itemBias?: string
  /** The prefix of `weight_ih_l0`, or `weight_ih`, in the names of the GRU's tensors. */
  readonly gruPrefix: string
  /** The name of the item in each row of the tensor. */
  readonly itemNames: readonly string[]
}

/** PyTorch's names of the parameters of a GRU; it stacks the gates in the same order. */
const gruTensors: Readonly<Record<string, string>> = {
  inputWeights: 'weight_ih',
  recurrentWeights: 'weight_hh',
  inputBias: 'bias_ih',
  recurrentBias: 'bias_hh',
}

/**
 * Imports a GRU with tied embeddings that was trained elsewhere, such as in PyTorch. Its tensors
 * are `gruPrefix` followed by weight_ih_l0, weight_hh_l0, bias_ih_l0 and bias_hh_l0, or without
 * _l0 for an nn.GRUCell. An absent bias is zero.
 */
export function importGru(engine: Engine, bytes: Uint8Array, options: ImportOptions): NamedModel {
  const { gruPrefix, itemBias } = options
  const file = readSafetensors(bytes)
  requireOneLayer(file, gruPrefix)
  const imported = importItems(engine, file, options, (dimension) =>
    gru4recParity({ dimension, cell: 'reset-after' }),
  )
  const { model } = imported
  if (itemBias !== undefined) fill(model.itemBias!, file, itemBias, [model.itemCount])
  const layer = file.tensors.has(`${gruPrefix}weight_hh`) ? '' : '_l0'
  for (const { name, value } of model.network.parameters) {
    const tensor = `${gruPrefix}${gruTensors[name.slice(name.lastIndexOf('.') + 1)]}${layer}`
    const isBias = value.rows === 1
    if (!isBias) fill(value, file, tensor, [value.rows, value.columns])
    else if (file.tensors.has(tensor)) fill(value, file, tensor, [value.columns])
  }
  return imported
}

/**
 * The tensor of the item embeddings, the names of the items, and settings of matrix factorization.
 */
export interface EmbeddingsImportOptions extends Omit<
  SettingsInput<typeof matrixFactorization.settings>,
  'dimension'
> {
  /** The tensor that holds the item embeddings, K × d. */
  readonly items: string
  /** The name of the item in each row of the tensor. */
  readonly itemNames: readonly string[]
}

/**
 * Imports item embeddings from another system as matrix factorization. The user embedding is a
 * ridge fit of the user's rewards, so no training is needed.
 */
export function importEmbeddings(
  engine: Engine,
  bytes: Uint8Array,
  { items, itemNames, ...options }: EmbeddingsImportOptions,
): NamedModel {
  return importItems(engine, readSafetensors(bytes), { items, itemNames }, (dimension) =>
    matrixFactorization({ ...options, dimension }),
  )
}

/** Creates a model whose item embeddings are a table of the file. */
function importItems(
  engine: Engine,
  file: TensorFile,
  { items, itemNames }: { readonly items: string; readonly itemNames: readonly string[] },
  architectureOf: (dimension: number) => Architecture,
): NamedModel {
  const shape = file.shape(items)
  const [rows = 0, dimension = 0] = shape
  // With a dimension of 0, a shape could claim any size for the other without data.
  if (shape.length !== 2 || rows === 0 || dimension === 0) {
    throw shapeMismatch(
      `tensor ${quote(items)} must be [items, dimension], got [${shape.join(', ')}]`,
    )
  }
  requireNames(itemNames, rows)
  requireDistinct(itemNames)
  const model = createSequenceModel(engine, architectureOf(dimension), rows, createRandom(0))
  fill(model.itemEmbeddings, file, items, [rows, dimension])
  return { model, itemNames }
}

/** One layer of a deeper GRU would load without an error and compute something else. */
function requireOneLayer(file: TensorFile, prefix: string): void {
  const other = ['weight_ih_l1', 'weight_ih_l0_reverse'].find((part) =>
    file.tensors.has(prefix + part),
  )
  if (other === undefined) return
  const found = quote(prefix + other)
  throw malformed(`the GRU must have one layer and one direction, but there is ${found}`)
}

function fill({ values }: Matrix, file: TensorFile, name: string, expected: readonly number[]) {
  const shape = file.shape(name)
  if (shape.length !== expected.length || shape.some((size, i) => size !== expected[i])) {
    throw shapeMismatch(
      `tensor ${quote(name)} must be [${expected.join(', ')}], got [${shape.join(', ')}]`,
    )
  }
  values.set(finite(name, file.floats(name)))
}
